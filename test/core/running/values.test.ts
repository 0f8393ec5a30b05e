import { expect, test } from "vitest";
import type { EnvFileFacts } from "../../../src/core/running/env-files.ts";
import { decideValues, verdictOfFiles, type ValuesFacts } from "../../../src/core/running/values.ts";

const STARTED_AT = 1_000_000;

/** PM2's command line leaves this in each process that it starts. */
const BY_PM2 = { PM2_USAGE: "CLI", PM2_HOME: "/pm2", PATH: "/bin", SHELL_ONE: "1", SHELL_TWO: "2" };
const BY_SVCM = { PM2_HOME: "/pm2", PATH: "/bin" };

function facts(fields: Partial<ValuesFacts> = {}): ValuesFacts {
  return {
    app: "api",
    declaredIn: "ecosystem.config.js",
    environments: [{ PORT: "1" }],
    openKeys: [],
    running: { ...BY_PM2, PORT: "1" },
    startedAt: STARTED_AT,
    evidence: evidence(),
    envFiles: [],
    ...fields,
  };
}

function evidence(fields: Partial<ValuesFacts["evidence"]> = {}): ValuesFacts["evidence"] {
  const nothing = new Set<string>();
  const siblings = [{ ...BY_PM2, PORT: "7" }];
  return { formerKeys: [], visibleKeys: nothing, listedKeys: nothing, formerWords: nothing, siblings, ...fields };
}

function envFile(fields: Partial<EnvFileFacts> = {}): EnvFileFacts {
  return {
    path: "/srv/.env",
    name: ".env",
    isReadByNode: false,
    now: { PAGE_SIZE: "50" },
    recorded: undefined,
    changedMs: STARTED_AT - 60_000,
    modifiedMs: STARTED_AT - 60_000,
    ...fields,
  };
}

const change = (field: "env" | "envFile", key: string | null, state: string) => ({
  field,
  key,
  state,
  path: field === "env" ? null : "/srv/.env",
  name: field === "env" ? null : ".env",
});

test.for([
  ["as declared", facts(), []],
  ["another value", facts({ running: { ...BY_PM2, PORT: "2" } }), [change("env", "PORT", "different")]],
  ["a value that the process lacks", facts({ running: BY_PM2 }), [change("env", "PORT", "absent")]],
  ["a value that PM2 sets", facts({ running: { ...BY_SVCM, PORT: "2" }, openKeys: ["PORT"], environments: [{}] }), []],
  ["a number that PM2 counts", facts({ openKeys: ["PORT"] }), []],
  [
    "the number of another process",
    facts({ running: { ...BY_PM2, PORT: "2" }, openKeys: ["PORT"] }),
    [change("env", "PORT", "different")],
  ],
  ["an environment of which one block fits", facts({ environments: [{ PORT: "9" }, { PORT: "1" }] }), []],
] as const)("the declared variables: %s", ([, given, changes]) => {
  expect(decideValues(given)).toMatchObject({ verdict: changes.length > 0 ? "changed" : "same", changes });
});

const WITH_GONE = { ...BY_PM2, PORT: "1", GONE: "g" };
const words = new Set(["GONE"]);

test.for([
  ["svcm started the process", { running: { ...BY_SVCM, PORT: "1", GONE: "g" } }, "changed"],
  ["svcm's last apply set it", { evidence: evidence({ formerKeys: ["GONE"], siblings: [] }) }, "changed"],
  [
    "Git and svcm.yaml know it",
    { evidence: evidence({ formerWords: words, listedKeys: words, siblings: [] }) },
    "changed",
  ],
  ["Git knows it, and another app of the shell lacks it", { evidence: evidence({ formerWords: words }) }, "changed"],
  [
    "svcm.yaml lists it, and a command such as GONE=g pm2 start may have set it for one of two apps",
    { evidence: evidence({ listedKeys: words, visibleKeys: words }) },
    "unknown",
  ],
  ["only Git knows it", { evidence: evidence({ formerWords: words, siblings: [] }) }, "unknown"],
  ["only svcm.yaml lists it", { evidence: evidence({ listedKeys: words, siblings: [] }) }, "unknown"],
  [
    "another app comes from another shell",
    { evidence: evidence({ formerWords: words, siblings: [{ PM2_HOME: "/pm2", PATH: "/opt", CI: "1" }] }) },
    "unknown",
  ],
  [
    "half of the variables of another app are of this shell",
    { running: { ...WITH_GONE, X: "x" }, evidence: evidence({ formerWords: words }) },
    "changed",
  ],
  [
    "less than half of them are",
    { running: { ...WITH_GONE, X: "x", Y: "y" }, evidence: evidence({ formerWords: words }) },
    "unknown",
  ],
  ["another app has it, too", { evidence: evidence({ formerWords: words, siblings: [WITH_GONE] }) }, "unknown"],
  ["nobody knows it", { evidence: evidence({ siblings: [] }) }, "same"],
] as const)("a variable that no file declares is a change only with enough evidence: %s", ([, given, verdict]) => {
  const decided = decideValues(facts({ running: WITH_GONE, ...given }));
  expect(decided.verdict).toBe(verdict);
  expect(decided.changes).toEqual(verdict === "changed" ? [change("env", "GONE", "stale")] : []);
  if (verdict === "unknown") expect(decided.unknown.join()).toContain("GONE");
  if (verdict === "changed") expect([...decided.unknown, ...decided.unexplained].join()).not.toContain("GONE");
});

test("a variable that an env file holds is there because a command handed the file over", () => {
  const decide = (value: string) =>
    decideValues(
      facts({
        running: WITH_GONE,
        evidence: evidence({ listedKeys: words, visibleKeys: words }),
        envFiles: [envFile({ now: { GONE: value } })],
      }),
    );
  expect(decide("g")).toMatchObject({ verdict: "same", changes: [], unknown: [] });
  expect(decide("h")).toMatchObject({ verdict: "unknown", changes: [] });
  expect(decide("h").unknown).toEqual([
    "the process was started with another GONE than that of .env; a restart keeps it, so declare it, or delete the app and start it with --ecosystem",
  ]);
});

test("a variable without any evidence is counted, but those of a shell and of every app are not", () => {
  const running = { ...WITH_GONE, SSH_TTY: "t", SHLVL: "1", _: "/bin/pm2" };
  expect(decideValues(facts({ running })).unexplained).toEqual(["GONE"]);
});

test("after resurrect, the same process leads to the same verdict, because no environment of a daemon is a witness", () => {
  const given = facts({ running: WITH_GONE, evidence: evidence({ formerWords: words }) });
  const resurrected = { ...given, running: { ...WITH_GONE, unique_id: "new", PM2_JSON_PROCESSING: "true" } };
  expect(decideValues(resurrected)).toEqual(decideValues(given));
});

test.for([
  ["the same content, newer", { recorded: { PAGE_SIZE: "50" }, changedMs: STARTED_AT + 1 }, "same", []],
  ["another value", { recorded: { PAGE_SIZE: "20" } }, "changed", [change("envFile", "PAGE_SIZE", "different")]],
  ["a new key", { recorded: {} }, "changed", [change("envFile", "PAGE_SIZE", "absent")]],
  ["a key less", { recorded: { PAGE_SIZE: "50", OLD: "o" } }, "changed", [change("envFile", "OLD", "stale")]],
  [
    "a deleted file",
    { recorded: { PAGE_SIZE: "50" }, now: null },
    "changed",
    [change("envFile", "PAGE_SIZE", "stale")],
  ],
  [
    "a name that may be a secret",
    { recorded: {}, now: { "#digest": "x" } },
    "changed",
    [change("envFile", null, "absent")],
  ],
  ["no record, older", {}, "same", []],
  ["no record, touched", { changedMs: STARTED_AT + 5 }, "unknown", []],
  ["no record, a file system whose clock is behind", { changedMs: STARTED_AT - 6 }, "unknown", []],
  ["no record, at the tolerance", { changedMs: STARTED_AT - 20 }, "same", []],
  ["no record, no file", { now: null, changedMs: undefined, modifiedMs: undefined }, "same", []],
  ["no record, unreadable, older", { now: undefined }, "same", []],
  ["no record, unreadable, touched", { now: undefined, changedMs: STARTED_AT + 5 }, "unknown", []],
  ["no record, in a folder that cannot be entered", { now: undefined, changedMs: undefined }, "unknown", []],
  ["unreadable", { now: undefined, recorded: { PAGE_SIZE: "50" } }, "unknown", []],
  [
    "Node.js reads it, and it was written later",
    { isReadByNode: true, changedMs: STARTED_AT + 5, modifiedMs: STARTED_AT + 5 },
    "changed",
    [change("envFile", null, "stale")],
  ],
  [
    "Node.js reads it, and it was written at the moment of the start",
    { isReadByNode: true, changedMs: STARTED_AT, modifiedMs: STARTED_AT },
    "unknown",
    [],
  ],
  [
    "Node.js reads it, and only its time of change is later",
    { isReadByNode: true, changedMs: STARTED_AT + 5 },
    "unknown",
    [],
  ],
] as const)("an env file that the app reads: %s", ([, file, verdict, changes]) => {
  expect(decideValues(facts({ envFiles: [envFile(file)] }))).toMatchObject({ verdict, changes });
});

test("a process that does not run will read the file as it then is", () => {
  expect(decideValues(facts({ startedAt: null, envFiles: [envFile({ recorded: {} })] })).verdict).toBe("same");
});

test("a value that a later layer overrides is not a change", () => {
  const base = envFile({
    path: "/srv/.env.base",
    name: ".env.base",
    now: { PAGE_SIZE: "9" },
    recorded: { PAGE_SIZE: "8" },
  });
  const top = envFile({ recorded: { PAGE_SIZE: "50" } });
  expect(decideValues(facts({ envFiles: [base, top] })).verdict).toBe("same");
  expect(decideValues(facts({ envFiles: [top, base] })).changes).toMatchObject([
    { key: "PAGE_SIZE", path: "/srv/.env.base" },
  ]);
});

test.for([
  [
    "the ecosystem file sets the key",
    { environments: [{ PORT: "1", PAGE_SIZE: "20" }] },
    "ecosystem.config.js sets it, too",
  ],
  ["a shell set the key", {}, "the process has it from elsewhere"],
] as const)("a changed value that cannot reach dotenv is unknown, and none for Node.js: %s", ([, given, reason]) => {
  const running = { ...BY_PM2, PORT: "1", PAGE_SIZE: "20" };
  const decide = (isReadByNode: boolean) =>
    decideValues(facts({ running, ...given, envFiles: [envFile({ recorded: { PAGE_SIZE: "30" }, isReadByNode })] }));
  expect(decide(false)).toMatchObject({ verdict: "unknown", changes: [] });
  expect(decide(false).unknown.join()).toContain(reason);
  expect(decide(true)).toMatchObject({ verdict: "same", changes: [] });
});

test("a value that the ecosystem file hands over from an env file is one change", () => {
  const running = { ...BY_PM2, PORT: "1", PAGE_SIZE: "20" };
  const envFiles = [envFile({ recorded: { PAGE_SIZE: "20" } })];
  const handedOver = facts({ running, envFiles, environments: [{ PORT: "1", PAGE_SIZE: "50" }] });
  const changes = [change("env", "PAGE_SIZE", "different")];
  expect(decideValues(handedOver)).toMatchObject({ changes, unknown: [] });
  const removed = facts({ running, envFiles: [envFile({ recorded: { PAGE_SIZE: "20" }, now: {} })] });
  expect(decideValues(removed).changes).toEqual([change("env", "PAGE_SIZE", "stale")]);
});

test.each([
  ["as it was at the start", { recorded: { PAGE_SIZE: "50" }, changedMs: STARTED_AT + 1 }, "same"],
  ["another content", { recorded: { PAGE_SIZE: "20" } }, "unknown"],
  ["written after the start, without a record", { changedMs: STARTED_AT + 1 }, "unknown"],
  ["older than the start, without a record", {}, "same"],
  ["unreadable", { now: undefined }, "same"],
  ["unreadable, and written after the start", { now: undefined, changedMs: STARTED_AT + 1 }, "unknown"],
])("an env file that the environment does not name is never a step: %s", (_, file, verdict) => {
  const decided = decideValues(facts({ envFiles: [envFile({ ...file, isUnnamed: true })] }));
  const unknown = [".env was changed or touched after the start, and this environment does not name it"];
  expect(decided).toMatchObject({ verdict, changes: [], unknown: verdict === "same" ? [] : unknown });
});

test("without what PM2 hands over, the env files alone decide, by what is known of their content", () => {
  const verdictOf = (fields: Partial<ValuesFacts>) => verdictOfFiles(decideValues(facts(fields)));
  const recorded = { PAGE_SIZE: "20", GONE: "1" };
  expect(verdictOf({ running: { ...BY_PM2, PORT: "2" } })).toEqual({ verdict: "same" });
  expect(verdictOf({ envFiles: [envFile({ recorded, now: { PAGE_SIZE: "50", NEW: "1" } })] })).toEqual({
    verdict: "changed",
    reasons: expect.arrayContaining([
      { state: "different", details: "PAGE_SIZE changed in .env", key: "PAGE_SIZE" },
      { state: "absent", details: "NEW added to .env", key: "NEW" },
      { state: "stale", details: "GONE removed from .env", key: "GONE" },
    ]),
  });
  const later = envFile({ changedMs: STARTED_AT + 60_000, modifiedMs: STARTED_AT + 60_000 });
  const byTime = { verdict: "unknown", reason: expect.stringContaining(".env") };
  expect(verdictOf({ envFiles: [later] })).toEqual(byTime);
});

test("a variable in doubt is not counted among those that a shell most often sets", () => {
  const running = { ...BY_PM2, PORT: "1", LISTED: "1", OTHER: "1" };
  const found = decideValues(facts({ running, evidence: evidence({ listedKeys: new Set(["LISTED"]) }) }));
  expect(found).toMatchObject({ verdict: "unknown", unknown: [expect.stringContaining("LISTED")] });
  expect(found.unexplained).toContain("OTHER");
  expect(found.unexplained).not.toContain("LISTED");
});
