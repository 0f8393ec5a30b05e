import { formatSecond } from "../words/seconds.ts";
import { nameList, pluralize } from "../words/pluralize.ts";
import { shellQuote } from "../words/shell.ts";
import { compareSaved, type SavedDifference } from "./compare-saved.ts";
import { type BootFacts, type BootRule, unitsOfHome } from "./facts.ts";

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
  summary: "PM2 runs apps and has no saved list, so a reboot starts none of them.",
  remedy: "Run `svcm boot save`, or `pm2 save`.",
  *check({ saved, running }) {
    const count = (running ?? []).length;
    if (count === 0 || (saved.state !== "absent" && saved.state !== "empty")) return;
    const what = saved.state === "absent" ? "does not exist" : "has no apps";
    const message = `PM2 runs ${pluralize(count, "process", "processes")}, and its saved list ${saved.path} ${what}`;
    yield { path: ["list"], message, command: SAVE };
  },
};

const broken: BootRule = {
  code: "BOOT_LIST_BROKEN",
  severity: "error",
  summary:
    "PM2's saved list is cut off or is not a list of apps. At a boot, PM2 deletes it and starts nothing (a warning with the unit of svcm, which has a copy).",
  explanation:
    "A full disk and a power cut do this. svcm keeps a copy of each list that it saves, and `svcm boot restore` uses it.",
  remedy: "Run `svcm boot save` if the apps run, else `svcm boot restore`.",
  *check(facts) {
    const { state, path, copy } = facts.saved;
    if (state !== "broken") return;
    const good = copy === null ? "svcm has no copy" : `svcm has a copy of ${formatSecond(copy.savedAtMs)}`;
    const isMended =
      copy !== null && unitsOfHome(facts).some(({ isEnabled, starts }) => isEnabled && starts === "svcm");
    yield {
      path: ["list"],
      severity: isMended ? "warning" : "error",
      message: `PM2's saved list ${path} cannot be parsed; ${good}`,
      command: (facts.running ?? []).length > 0 ? SAVE : "svcm boot restore",
    };
  },
};

const unreadable: BootRule = {
  code: "BOOT_LIST_UNREADABLE",
  severity: "warning",
  summary: "This user may not read PM2's saved list, so svcm does not know what it starts (warning).",
  explanation: "If the user of PM2 may not read it either, PM2 starts nothing.",
  remedy: "Run the command as the owner of PM2_HOME. The list must belong to that user, too.",
  *check({ saved, system }) {
    if (saved.state !== "unreadable") return;
    const owner = system.owner?.name ?? "its owner";
    yield {
      path: ["list"],
      message: `${saved.path} cannot be read`,
      command: `sudo chown ${owner} ${shellQuote(saved.path)}`,
    };
  },
};

const missing: BootRule = {
  code: "BOOT_MISSING",
  severity: "error",
  summary: "An app is not in PM2's saved list, so a reboot does not start it.",
  explanation: "PM2 writes the list only on request, with `pm2 save`. `svcm apply` does it as its last step.",
  remedy: "Run `svcm boot save` if the app runs, else `svcm apply`.",
  *check(facts) {
    const unsaved = differences(facts).filter(({ kind }) => kind === "missing");
    for (const { name } of unsaved)
      yield { path: [name], message: `${name} runs, and the saved list does not have it`, command: SAVE };
    const { missing: names, file } = facts.declared;
    const known = new Set([...(facts.running ?? []), ...facts.saved.processes].map(({ name }) => name));
    for (const name of names)
      if (!known.has(name))
        yield {
          path: [name],
          message: `${name} is declared in ${file}, and neither runs nor is in the saved list`,
          command: "svcm apply",
        };
  },
};

const extra: BootRule = {
  code: "BOOT_EXTRA",
  severity: "error",
  summary: "PM2's saved list has an app that PM2 no longer lists. A reboot starts it.",
  remedy: "Run `svcm boot save` if the app is gone for good; `svcm apply` starts it if it is declared.",
  check: (facts) =>
    differences(facts)
      .filter(({ kind }) => kind === "extra")
      .map(({ name }) => ({
        path: [name],
        message: `${name} is in the saved list, and PM2 no longer lists it`,
        command: SAVE,
      })),
};

const count: BootRule = {
  code: "BOOT_COUNT",
  severity: "error",
  summary: "A reboot starts another number of processes of the app.",
  remedy: "Run `svcm boot save` if the running number is right, else `svcm apply`.",
  *check(facts) {
    const found = differences(facts).filter(({ kind }) => kind === "count");
    for (const { name, saved, running } of found)
      yield { path: [name], message: `${name}: ${running} run, and a reboot would start ${saved}`, command: SAVE };
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
  summary: "A reboot starts the app with other values than it has now, or than the ecosystem file declares.",
  explanation:
    "PM2's saved list keeps every variable as it was when the list was saved. svcm compares digests and names the variables, never their values.",
  remedy: "Run `svcm boot save` if the running values are right, else `svcm apply`.",
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
  summary: "A reboot starts an app that was stopped, or leaves one stopped that runs.",
  remedy: "Run `svcm boot save`.",
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
