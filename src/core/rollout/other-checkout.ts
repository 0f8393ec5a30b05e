import type { HasStamps } from "../files/ports.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { checkoutOf, isSamePlace } from "../project/checkout.ts";
import type { HasWorkspace } from "../project/port-repository.ts";
import { isBelow } from "../running/code-files.ts";
import { groupBy } from "../words/lists.ts";
import { shellQuote } from "../words/text.ts";
import type { ExpectedApp } from "./expected.ts";
import type { PlanContext } from "./plan.ts";

type DeclaredApp = Pick<ExpectedApp, "name" | "script" | "cwd">;
type RunningApp = Pick<ProcessRecord, "name" | "script" | "cwd">;

/**
 * Finds processes that run from another checkout on this machine: a step would put the code or the values of this one
 * in their place, or delete them. Releases beside each other are one checkout.
 */
export function findOtherCheckouts(
  ports: HasStamps & HasWorkspace,
  expected: readonly DeclaredApp[],
  running: readonly RunningApp[],
): PlanContext["conflicts"] {
  const foreignOf = createLookup(ports);
  const found = running.flatMap((record) => {
    const declared = expected.find(({ name }) => name === record.name);
    if (declared?.script === record.script && declared.cwd === record.cwd) return [];
    // The script of a wrapper, such as npm, is in no checkout.
    const isScript = foreignOf((declared ?? record).script) !== undefined;
    const folder = foreignOf(isScript ? record.script : record.cwd);
    return typeof folder === "string" ? [{ name: record.name, folder }] : [];
  });
  return [...groupBy(found, ({ folder }) => folder)].map(([folder, apps]) =>
    toConflict(ports.workspace.root, folder, [...new Set(apps.map(({ name }) => name))]),
  );
}

/** Returns the other checkout that holds the path, `false` for a path of this one, and `undefined` for one of none. */
function createLookup({
  stamps,
  workspace,
}: HasStamps & HasWorkspace): (path: string | null) => string | false | undefined {
  const { root, checkout = root } = workspace;
  const folders = [root, checkout];
  const own = folders.map((folder) => checkoutOf(stamps, folder) ?? folder);
  return (path) => {
    if (path === null) return undefined;
    if (folders.some((folder) => path === folder || isBelow(path, folder))) return false;
    const found = checkoutOf(stamps, path);
    return found !== undefined && own.some((folder) => isSamePlace(stamps, folder, found)) ? false : found;
  };
}

function toConflict(root: string, folder: string, apps: readonly string[]): PlanContext["conflicts"][number] {
  const message = `PM2 has ${apps.join(", ")} from the checkout ${folder}, and this one is ${root}. To plan for that one: cd ${shellQuote(folder)} && svcm plan. To take over: --switch-checkout of svcm apply or svcm deploy.`;
  return { apps, issue: { code: "CHECKOUT_SWITCH", severity: "error", path: ["apps", ...apps.slice(0, 1)], message } };
}
