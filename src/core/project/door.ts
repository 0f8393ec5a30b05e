import type { Ports } from "../ports/index.ts";
import { isEnvName, isPm2Name } from "./detect/survey.ts";

const SHOWN = 4;

/**
 * The next step for a repository that has PM2 or env files of another layout, and no `svcm.yaml`; `undefined` for any
 * other repository.
 */
export async function doorHint({ ecosystems, facts, workspace }: Ports): Promise<string | undefined> {
  if ((await facts.project().catch(() => null)) !== undefined) return undefined;
  const names = await ecosystems.list(workspace.root).catch(() => []);
  const found = names.filter((name) => isPm2Name(name) || isEnvName(name)).toSorted();
  if (found.length === 0) return undefined;
  const more = found.length > SHOWN ? ", ..." : "";
  return `Found here: ${found.slice(0, SHOWN).join(", ")}${more}. To use them, run: svcm init`;
}
