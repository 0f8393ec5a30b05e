import type { Issue } from "../api/issue.ts";
import { ownMember } from "../words/record.ts";
import type { ComparisonInput } from "./comparison-input.ts";

/** Only where the same app runs: environments whose apps have other names live beside each other. */
export function environmentSwitch(
  {
    appliedApps = {},
    running,
  }: { readonly appliedApps?: ComparisonInput["appliedApps"]; readonly running: readonly { readonly name: string }[] },
  apps: readonly string[],
  environment: string,
): Issue[] {
  const moved = [...new Set(apps)].flatMap((app) => {
    const from = ownMember(appliedApps, app)?.environment;
    const isMoved = from !== undefined && from !== environment && running.some(({ name }) => name === app);
    return isMoved ? [{ app, from }] : [];
  });
  const [first] = moved;
  if (first === undefined) return [];
  const names = moved.map(({ app }) => app).join(", ");
  const message = `${names} would move from ${first.from} to ${environment}: this PM2 was last applied for ${first.from}. To plan for it: svcm plan --environment ${first.from}. To switch: svcm apply --environment ${environment} --switch-environment.`;
  return [{ code: "ENVIRONMENT_SWITCH", severity: "error", path: ["apps", first.app], message }];
}
