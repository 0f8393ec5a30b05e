import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Release folders have different names but belong to one service. */
export function serviceName(root: string): string {
  let name: unknown;
  try {
    name = (JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly name?: unknown }).name;
  } catch {
    name = undefined;
  }
  const text = typeof name === "string" && name !== "" ? name : basename(root);
  return text.replaceAll(/[^\w.-]+/g, "-").replace(/^[.-]+/, "") || "service";
}
