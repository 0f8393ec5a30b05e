import { SvcmError } from "../../api/errors.ts";
import { relativePath } from "../../words/text.ts";
import type { Declaration } from "../../pm2/declared.ts";
import type { EcosystemFile } from "../../pm2/view.ts";
import type { HasClock, HasMachine } from "../../files/ports.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { HasWorkspace } from "../../project/port-repository.ts";
import type { Issue } from "../../api/issue.ts";
import { listOrEmpty } from "../../pm2/list.ts";
import { findLeftOvers, takenText } from "../../running/port-holders.ts";
import { POLL_INTERVAL_MS } from "./verify.ts";

export function folderMissing(who: string, folder: string, hint: string): SvcmError {
  return new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "PROCESS_FOLDER_MISSING",
    details: `${who} runs in the folder ${folder}, which does not exist.`,
    hint,
  });
}

export function scriptMissing(who: string, script: string, hint: string): SvcmError {
  const details = script === "" ? `${who} has no script.` : `${who} has the script ${script}, which does not exist.`;
  return new SvcmError("PROCESS_ACTION_REFUSED", { code: "ECOSYSTEM_SCRIPT_MISSING", details, hint });
}

export function declarationRefusal(
  { name, missingFolder, missingScript, blocks: [block] }: Declaration,
  { path, root }: { readonly path: string; readonly root: string },
): SvcmError | undefined {
  const app = `The app ${JSON.stringify(name)}`;
  if (missingFolder !== undefined)
    return folderMissing(app, missingFolder, "Create the folder, or correct cwd in the ecosystem file.");
  if (missingScript !== undefined)
    return scriptMissing(
      app,
      missingScript,
      "Build the project if it is a build result, put its folder on PATH if it is a command, or correct script in the ecosystem file.",
    );
  if (block === undefined) return undefined;
  const environment = block.slice("env_".length);
  return new SvcmError("PROCESS_ACTION_REFUSED", {
    code: "ECOSYSTEM_ENV_BLOCK_UNUSED",
    path,
    details: `${app} has the block ${block}, which only "pm2 start --env ${environment}" applies: svcm does not read it.`,
    hint: `Move the variables of ${block} to env, or name the block in svcm.yaml: ecosystem: { ${environment}: { file: ${relativePath(root, path)}, env: ${environment} } }`,
  });
}

export function noEcosystem({ name, path }: EcosystemFile, others: readonly string[]): SvcmError {
  const present = others.length === 0 ? "" : ` These environments have one: ${others.join(", ")}.`;
  return new SvcmError("PROCESS_NOT_FOUND", {
    path,
    details: `The environment ${name} has no ecosystem file, so no app is declared.${present}`,
  });
}

/** A child may finish its requests after its parent has ended. */
const MAX_CHILD_END_MS = 3000;

/** Processes that apps left behind when they were stopped or deleted: the next start finds its port taken. */
export async function leftOverWarnings(
  ports: HasClock & HasMachine & HasProcesses & HasWorkspace,
  names: ReadonlySet<string>,
): Promise<Issue[]> {
  const deadline = ports.clock.elapsed() + MAX_CHILD_END_MS;
  for (;;) {
    const found = await findWarnings(ports, names);
    if (found.length === 0 || ports.clock.elapsed() >= deadline) return found;
    await ports.clock.sleep(POLL_INTERVAL_MS);
  }
}

async function findWarnings(
  { machine, processes, workspace: { pm2Home } }: HasMachine & HasProcesses & HasWorkspace,
  names: ReadonlySet<string>,
): Promise<Issue[]> {
  // The act is done: without this knowledge, it is done all the same.
  const listeners = (await machine.listeners().catch(() => undefined)) ?? [];
  const all = await listOrEmpty(processes).catch(() => undefined);
  if (all === undefined) return [];
  const holders = findLeftOvers({ all, listeners, pm2Home });
  const messages = new Map(
    holders.flatMap((holder) => {
      const { formerApp, pid } = holder;
      if (formerApp === null || !names.has(formerApp)) return [];
      return [[`${takenText(holder)} To end it: kill ${pid}`, formerApp] as const];
    }),
  );
  return [...messages].map(([message, app]) => ({
    code: "PROCESS_LEFT_OVER",
    severity: "warning",
    path: ["apps", app],
    message,
  }));
}
