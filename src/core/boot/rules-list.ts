import { restoreCommand } from "../pm2/daemon-traces.ts";
import { formatSecond } from "../words/time.ts";
import { nameList, pluralize, shellQuote } from "../words/text.ts";
import { type BootFacts, type BootRule, isLost, unitsOfHome } from "./facts.ts";
import { groupBy, ownMember } from "../words/record.ts";
import { settingNames } from "../api/names.ts";
import { compareText } from "../api/issue.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import { isShellVariable, isStarterVariable } from "../pm2/declared.ts";
import { appKind } from "../running/code-evidence.ts";
import { isStopped } from "../running/state.ts";

const SAVE = "svcm boot save";

/** Without a readable list, each app would be missing. */
function differences({ saved, running }: BootFacts): SavedDifference[] {
  return saved.state === "read" && running !== null ? compareSaved(saved.processes, running) : [];
}

function savedText({ saved }: BootFacts): string {
  return saved.savedAtMs === null ? "" : `, saved ${formatSecond(saved.savedAtMs)}`;
}

const noList: BootRule = {
  code: "BOOT_LIST_ABSENT",
  severity: "error",
  *check({ saved, running }) {
    const count = (running ?? []).length;
    if (count === 0 || (saved.state !== "absent" && saved.state !== "empty")) return;
    const what = saved.state === "absent" ? "does not exist" : "has no apps";
    const message = `PM2 lists ${pluralize(count, "process", "processes")}, and its saved list ${saved.path} ${what}`;
    yield { path: ["list"], message, command: SAVE };
  },
};

const broken: BootRule = {
  code: "BOOT_LIST_BROKEN",
  severity: "error",
  *check(facts) {
    const { state, path, copy } = facts.saved;
    const isRunning = (facts.running ?? []).length > 0;
    if (state !== "broken" && (isRunning || !isLost(facts.saved))) return;
    const problem = state === "broken" ? "cannot be parsed" : "is gone, as PM2 deletes one that it cannot parse";
    const good = copy === null ? "svcm has no copy" : `svcm has a copy of ${formatSecond(copy.savedAtMs)}`;
    const isMended =
      copy !== null && unitsOfHome(facts).some(({ isEnabled, starts }) => isEnabled && starts === "svcm");
    yield {
      path: ["list"],
      severity: isMended ? "warning" : "error",
      message: `PM2's saved list ${path} ${problem}; ${good}`,
      command: isRunning ? SAVE : restoreCommand(facts.traces),
    };
  },
};

const unreadable: BootRule = {
  code: "BOOT_LIST_UNREADABLE",
  severity: "warning",
  *check({ home, saved, system }) {
    if (saved.state !== "unreadable") return;
    const owner = system.owner === null ? `--reference=${shellQuote(home)}` : system.owner.name;
    yield {
      path: ["list"],
      message: `${saved.path} cannot be read`,
      command: `sudo chown ${owner} ${shellQuote(saved.path)}`,
    };
  },
};

/** One line, however many apps it names. */
function aboutApps(names: readonly string[]): { readonly path: readonly string[]; readonly list: string } {
  const [only = "list", ...more] = names;
  return { path: [more.length === 0 ? only : "list"], list: nameList(names) };
}

function namesOf(facts: BootFacts, kind: SavedDifference["kind"]): string[] {
  return differences(facts).flatMap((one) => (one.kind === kind ? [one.name] : []));
}

const missing: BootRule = {
  code: "BOOT_MISSING",
  severity: "error",
  *check(facts) {
    const unsaved = namesOf(facts, "missing");
    if (unsaved.length > 0) {
      const { path, list } = aboutApps(unsaved);
      const them = unsaved.length === 1 ? "it" : "them";
      yield { path, message: `PM2 lists ${list}, and the saved list does not have ${them}`, command: SAVE };
    }
    const { missing: names, file } = facts.declared;
    const known = new Set([...(facts.running ?? []), ...facts.saved.processes].map(({ name }) => name));
    const absent = names.filter((name) => !known.has(name));
    if (absent.length === 0) return;
    const { path, list } = aboutApps(absent);
    const [are, them] = absent.length === 1 ? ["is", "it"] : ["are", "them"];
    const message = `${list} ${are} declared in ${file}, and neither PM2 nor the saved list has ${them}`;
    yield { path, message, command: "svcm apply" };
  },
};

const extra: BootRule = {
  code: "BOOT_EXTRA",
  severity: "error",
  *check(facts) {
    const names = namesOf(facts, "extra");
    if (names.length === 0) return;
    const { traces, saved, running } = facts;
    const { path, list } = aboutApps(names);
    const [are, them] = names.length === 1 ? ["is", "it"] : ["are", "them"];
    // A save would forget the apps that ended with the daemon before.
    const isLater = (traces.startedMs ?? 0) > (saved.savedAtMs ?? Infinity);
    const what = isLater ? "PM2's daemon, which started after the save, does not list" : "PM2 no longer lists";
    const command = isLater || running?.length === 0 ? restoreCommand(traces) : SAVE;
    yield { path, message: `${list} ${are} in the saved list, and ${what} ${them}`, command };
  },
};

const count: BootRule = {
  code: "BOOT_COUNT",
  severity: "error",
  *check(facts) {
    const found = differences(facts).filter(({ kind }) => kind === "count");
    for (const { name, saved, running } of found)
      yield { path: [name], message: `${name}: PM2 lists ${running}, and the saved list has ${saved}`, command: SAVE };
    const names = new Set(found.map(({ name }) => name));
    for (const { name, declared, saved } of facts.declared.counts)
      if (!names.has(name))
        yield {
          path: [name],
          message: `${name}: ${declared} are declared, and a reboot would start ${saved}`,
          command: "svcm apply",
        };
  },
};

const values: BootRule = {
  code: "BOOT_VALUE",
  severity: "error",
  *check(facts) {
    const found = differences(facts).filter(({ kind }) => kind === "values");
    for (const { name, keys } of found)
      yield {
        path: [name],
        message: `${name} would start with another ${nameList(keys)} than it has now${savedText(facts)}`,
        command: SAVE,
      };
    const stale = new Map(found.map(({ name, keys }) => [name, new Set(keys)]));
    for (const { name, keys } of facts.declared.values) {
      const rest = keys.filter((key) => !stale.get(name)?.has(key));
      if (rest.length === 0) continue;
      const message = `${name} would start with another ${nameList(rest)} than ${facts.declared.file} declares${savedText(facts)}`;
      yield { path: [name], message, command: "svcm apply" };
    }
  },
};

const states: BootRule = {
  code: "BOOT_STATE",
  severity: "error",
  *check(facts) {
    for (const { name, kind, saved } of differences(facts)) {
      const how = saved === 1 ? "" : ` (${saved} processes)`;
      if (kind === "starts")
        yield {
          path: [name],
          message: `${name} is stopped, and a reboot would start it${how}${savedText(facts)}`,
          command: SAVE,
        };
      if (kind === "rests")
        yield {
          path: [name],
          message: `${name} runs, and a reboot would leave it stopped${how}${savedText(facts)}`,
          command: SAVE,
        };
    }
  },
};

export const listRules: readonly BootRule[] = [noList, broken, unreadable, missing, extra, count, values, states];

interface SavedDifference {
  readonly name: string;
  /** `missing` and `extra` are said of the saved list; `starts` and `rests` of a reboot. */
  readonly kind: "missing" | "extra" | "count" | "values" | "starts" | "rests";
  readonly saved: number;
  readonly running: number;
  /** Names of variables and fields; never a value. */
  readonly keys: readonly string[];
}

/** Compares what a reboot would start with what runs, app by app. The order of the processes of an app counts. */
export function compareSaved(saved: readonly ProcessRecord[], running: readonly ProcessRecord[]): SavedDifference[] {
  const [savedByName, runningByName] = [groupBy(saved, nameOf), groupBy(running, nameOf)];
  const names = new Set([...savedByName.keys(), ...runningByName.keys()]);
  return [...names]
    .toSorted(compareText)
    .flatMap((name) => compareApp(name, savedByName.get(name) ?? [], runningByName.get(name) ?? []));
}

function nameOf({ name }: ProcessRecord): string {
  return name;
}

function compareApp(
  name: string,
  saved: readonly ProcessRecord[],
  running: readonly ProcessRecord[],
): SavedDifference[] {
  const counts = { name, saved: saved.length, running: running.length, keys: [] };
  if (saved.length === 0) return [{ ...counts, kind: "missing" }];
  if (running.length === 0) return [{ ...counts, kind: "extra" }];
  const pairs = saved.flatMap((one, index) => (running[index] === undefined ? [] : [[one, running[index]] as const]));
  const keys = [...new Set(pairs.flatMap(([one, other]) => differentKeys(one, other)))].toSorted(compareText);
  const starts = pairs.filter(
    ([one, now]) => one.status !== "stopped" && now.status === "stopped" && isService(now),
  ).length;
  const rests = pairs.filter(([one, now]) => one.status === "stopped" && !isStopped(now) && isService(now)).length;
  return [
    ...(saved.length === running.length ? [] : [{ ...counts, kind: "count" as const }]),
    ...(keys.length === 0 ? [] : [{ ...counts, kind: "values" as const, keys }]),
    ...(starts === 0 ? [] : [{ ...counts, kind: "starts" as const, saved: starts }]),
    ...(rests === 0 ? [] : [{ ...counts, kind: "rests" as const, saved: rests }]),
  ];
}

/** A job or task rests whenever it does not run. */
function isService({ declaration }: ProcessRecord): boolean {
  return appKind(declaration.settings) === "service";
}

const FIELDS = ["script", "cwd", "interpreter", "execMode", "namespace", "cronRestart", "watching"] as const;

function differentKeys(saved: ProcessRecord, running: ProcessRecord): string[] {
  const [a, b] = [saved.declaration, running.declaration];
  const variables = new Set([...Object.keys(a.environment), ...Object.keys(b.environment)]);
  return [
    ...[...variables].filter(
      (key) => !isPerRun(key, running.name) && ownMember(a.environment, key) !== ownMember(b.environment, key),
    ),
    ...FIELDS.filter((field) => saved[field] !== running[field]),
    ...(a.argsDigest === b.argsDigest ? [] : ["args"]),
    ...(a.interpreterArgsDigest === b.interpreterArgsDigest ? [] : ["interpreterArgs"]),
    ...settingNames.filter((field) => field !== "cronRestart" && a.settings[field] !== b.settings[field]),
  ];
}

/** PM2 gives each run its own, or the shell that started it does. */
function isPerRun(key: string, app: string): boolean {
  const isOfStart = isShellVariable(key) || isStarterVariable(key, app);
  return key === "unique_id" || key === "NODE_APP_INSTANCE" || isOfStart;
}
