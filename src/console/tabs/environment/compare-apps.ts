import type { EcosystemResponse } from "../../../core/api/bodies.ts";

type App = EcosystemResponse["apps"][number];

export interface AppDifference {
  readonly app: string;
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** Returns the different declarations of two environments, sorted by app. A value that the server hides counts as equal. */
export function compareApps(from: readonly App[], to: readonly App[]): AppDifference[] {
  const names = [...new Set([...from, ...to].map(({ name }) => name))].toSorted();
  return names.flatMap((app): AppDifference[] => {
    const [left, right] = [from, to].map((apps) => apps.find(({ name }) => name === app));
    if (left === undefined || right === undefined)
      return [{ app, field: "app", from: left ? "declared" : "not declared", to: right ? "declared" : "not declared" }];
    const [before, after] = [membersOf(left), membersOf(right)];
    const fields = [...new Set([...before.keys(), ...after.keys()])];
    return fields.flatMap((field) => {
      const [a = "not set", b = "not set"] = [before.get(field), after.get(field)];
      return a === b ? [] : [{ app, field, from: a, to: b }];
    });
  });
}

/** Without the command and its folder, which name the file of the environment. */
function membersOf({ name: _name, command: _command, cwd: _cwd, env, ...members }: App): ReadonlyMap<string, string> {
  const variables = Object.entries(env).map(([key, value]) => [`env ${key}`, value] as const);
  const all = [...Object.entries(members), ...variables];
  return new Map(all.map(([name, value]) => [name, [value ?? ""].flat().join(" ") || "none"]));
}
