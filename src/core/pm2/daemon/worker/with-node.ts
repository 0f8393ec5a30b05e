import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { realPathIfReadable } from "../../../files/system.ts";
import type { Pm2Process } from "./pm2-api.ts";

interface Nodes {
  readonly node: string;
  /** Null if it cannot be seen. */
  readonly formerNode: string | null;
}

/**
 * An app without an own interpreter has `node`, which PM2 looks for in the app's PATH, or the path of the Node.js that
 * started it.
 */
export function withNode(saved: Pm2Process, nodes: Nodes | undefined): Pm2Process {
  const { pm2_env: record } = saved;
  const interpreter = record["exec_interpreter"];
  if (nodes === undefined || typeof interpreter !== "string") return saved;
  const { node, formerNode } = nodes;
  const isFormer = interpreter === formerNode || realPathIfReadable(interpreter) === formerNode;
  if (interpreter.startsWith("/"))
    return isFormer ? { ...saved, pm2_env: { ...record, exec_interpreter: node } } : saved;
  if (interpreter !== "node") return saved;
  const env = record["env"] as Readonly<Record<string, unknown>> | undefined;
  return {
    ...saved,
    pm2_env: { ...record, ...pathTo(node, record), ...(env && { env: { ...env, ...pathTo(node, env) } }) },
  };
}

function pathTo(node: string, variables: Readonly<Record<string, unknown>>): { readonly PATH?: string } {
  const { PATH: path = "" } = variables;
  const folders = typeof path === "string" ? path.split(delimiter) : [];
  const found = folders.map((folder) => join(folder, "node")).find((file) => existsSync(file));
  const isChosen = found !== undefined && realPathIfReadable(found) === realPathIfReadable(node);
  return isChosen ? {} : { PATH: [dirname(node), ...folders].join(delimiter) };
}
