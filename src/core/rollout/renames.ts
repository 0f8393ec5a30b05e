import { ownMember } from "../words/record.ts";
import { compareApps, type Comparison } from "./compare.ts";
import { difference } from "./step.ts";
import type { ComparisonInput } from "./comparison-input.ts";

import type { ProcessRecord } from "../pm2/process-record.ts";
import { sharedPort, type ExpectedApp } from "./expected.ts";

export type Renames = ReadonlyMap<string, string>;

/**
 * The apps that an apply started and that the file declares under another name: with the same script on the same port,
 * or without any other difference. If a previous name fits two new names, it is not a rename.
 */
export function findRenames(input: ComparisonInput, owned: ReadonlySet<string>): Renames {
  const declared = new Set(input.expected.map(({ name }) => name));
  const runningNames = new Set(input.running.map(({ name }) => name));
  const gone = [...owned].filter((name) => runningNames.has(name) && !declared.has(name));
  const added = [...declared].filter((name) => !runningNames.has(name));
  const pairs = gone.flatMap((from) =>
    added.filter((to) => isSameApp(input, from, to)).map((to): [string, string] => [from, to]),
  );
  return new Map(pairs.filter(([from, to]) => pairs.every((pair) => (pair[0] === from) === (pair[1] === to))));
}

/** PM2's defaults for these contain the name of the app. */
const NAME_DEPENDENT_FIELDS: ReadonlySet<string> = new Set(["errorFile", "logFile", "outFile"]);

function isSameApp(input: ComparisonInput, from: string, to: string): boolean {
  const expected = input.expected.filter(({ name }) => name === to);
  const running = input.running.filter(({ name }) => name === from);
  if (hasSamePort(ownMember(input.appliedApps, from)?.probe?.port, expected, running)) return true;
  const [comparison] = compareApps(applyRenames({ ...input, expected, running }, new Map([[from, to]])));
  return comparison?.differences.every(({ field, key }) => NAME_DEPENDENT_FIELDS.has(field) || key === from) === true;
}

/** Two apps cannot run the same script on the same port, so the new one takes the place of the old one. */
function hasSamePort(
  probedPort: number | undefined,
  expected: readonly ExpectedApp[],
  running: readonly ProcessRecord[],
): boolean {
  return expected.some((app) => {
    const port = app.probe?.port ?? app.httpPort;
    const isProbed = (one: ProcessRecord): boolean => port !== null && (probedPort ?? one.httpPort) === port;
    return running.some((one) => one.script === app.script && (isProbed(one) || sharedPort(app, one) !== undefined));
  });
}

/** The input as if the processes already had their new names. */
export function applyRenames(input: ComparisonInput, renames: Renames): ComparisonInput {
  if (renames.size === 0) return input;
  const { appliedApps = {} } = input;
  const moved = [...renames].flatMap(([from, to]) => {
    const applied = ownMember(appliedApps, from);
    return applied === undefined ? [] : [[to, applied] as const];
  });
  return {
    ...input,
    running: input.running.map((record) => ({ ...record, name: renames.get(record.name) ?? record.name })),
    appliedApps: { ...appliedApps, ...Object.fromEntries(moved) },
  };
}

export function addRenameReason(comparison: Comparison, renames: Renames): Comparison {
  const { app, processes, differences } = comparison;
  const former = [...renames].find(([, to]) => to === app.name)?.[0];
  if (former === undefined) return comparison;
  const pmIds = processes.map(({ pmId }) => pmId);
  const why = difference("app", "different", pmIds, { declared: app.name, running: former });
  return { ...comparison, differences: [why, ...differences] };
}
