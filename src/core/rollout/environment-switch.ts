import type { Issue } from "../api/issue.ts";
import { ownMember } from "../words/record.ts";
import type { ComparisonInput } from "./comparison-input.ts";

interface SwitchInput {
  readonly appliedApps?: ComparisonInput["appliedApps"];
  /** By app: the environment with whose values PM2 itself started it. */
  readonly startedAs?: ReadonlyMap<string, string> | undefined;
  readonly running: readonly { readonly name: string }[];
}

/** Only where the same app runs: environments whose apps have other names live beside each other. */
export function environmentSwitch(
  { appliedApps = {}, startedAs, running }: SwitchInput,
  apps: readonly string[],
  environment: string,
): Issue[] {
  const moved = [...new Set(apps)].flatMap((app) => {
    const started = startedAs?.get(app);
    const from = started ?? ownMember(appliedApps, app)?.environment;
    const isMoved = from !== undefined && from !== environment && running.some(({ name }) => name === app);
    return isMoved ? [{ app, from, isStarted: started !== undefined }] : [];
  });
  const [first] = moved;
  if (first === undefined) return [];
  const { app, from, isStarted } = first;
  const names = moved.filter((one) => one.from === from).map((one) => one.app);
  const it = names.length === 1 ? "it runs" : "they run";
  // Former values of this environment may be the present ones of the other.
  const [verb, why] = isStarted
    ? ["may", `${it} with the values that ${from} declares, and PM2 does not record the environment of a start`]
    : ["would", `this PM2 was last applied for ${from}`];
  const message = `${names.join(", ")} ${verb} move from ${from} to ${environment}: ${why}. To plan for it: svcm plan --environment ${from}. To switch: svcm apply --environment ${environment} --switch-environment.`;
  return [{ code: "ENVIRONMENT_SWITCH", severity: "error", path: ["apps", app], message }];
}
