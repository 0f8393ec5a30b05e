import { describe, expect, test } from "vitest";
import type { CodeEvidence } from "../../../src/core/running/code-evidence.ts";
import { decideCode, isUntouched, isUnwritten } from "../../../src/core/running/decide-code.ts";
import { B, file, folder, git, place, record, running, untouched } from "./code-evidence.ts";

const text = (more: Partial<CodeEvidence>): string => {
  const verdict = decideCode({ ...untouched, ...more });
  if (verdict.verdict === "changed") return `${verdict.reasons[0].state}: ${verdict.reasons[0].details}`;
  return verdict.verdict === "same" ? "same" : `unknown: ${verdict.reason}`;
};

const UNREAD = "a restart keeps that, so look again, or name what is not code in code.exclude of svcm.yaml";

const CASES: readonly (readonly [name: string, evidence: Partial<CodeEvidence>, expected: string])[] = [
  ["nothing is newer", {}, "same"],
  ["the folder was removed", running({ isDeleted: true }), "absent: it runs in a folder that was deleted"],
  [
    "the link leads elsewhere",
    running({ cwd: "/srv/app/releases/2", movedLinks: ["/srv/app/current"] }),
    "different: releases/2 to releases/1",
  ],
  ["the link was written again, with the same target", running({ movedLinks: ["/srv/app/current"] }), "same"],
  ["a process changed its folder by itself", running({ cwd: "/" }), "same"],
  ["a shell changed to the folder beside it", running({ cwd: "/srv/app/releases/2", isExchanged: false }), "same"],
  [
    "the folder cannot be read, and the link is newer",
    running({ cwd: null, movedLinks: ["/srv/app/current"] }),
    "unknown: /srv/app/current was replaced after its start, and its folder cannot be read",
  ],
  ["the folder cannot be read, and no link is newer", running({ cwd: null }), "same"],
  [
    "a link to the script is newer",
    running({ movedScriptLinks: ["current"] }),
    "different: current now leads to releases/1",
  ],
  [
    "the record has another folder",
    { record: { ...record, cwd: "/srv/app/releases/2" } },
    "different: releases/2 to releases/1",
  ],
  [
    "the recorded folder is gone",
    { record: { ...record, cwd: "/srv/app/releases/2" }, ...running({ isFormerThere: false }) },
    "absent: releases/2 to releases/1",
  ],
  ["the unit was not read", { problem: "too many" }, `unknown: too many; ${UNREAD}`],
  [
    "the unit was not read, and the script was written after the start",
    { problem: "too many", isScriptWritten: true },
    `stale: ${place.script}`,
  ],
  [
    "the unit was not read, and the clock was set",
    { problem: "too many", isScriptWritten: true, isClockSet: true },
    `unknown: too many; ${UNREAD}`,
  ],
  ["the unit was not read, and there is a record", { problem: "too many", record }, `unknown: too many; ${UNREAD}`],
  [
    "the clock was set",
    { isClockSet: true },
    "unknown: the clock was set after its start, or PM2 runs in another container",
  ],
  [
    "the clock was set, and contents are as recorded",
    { isClockSet: true, record, newer: [file("a.js", { digest: "1" })] },
    "same",
  ],

  [
    "recorded content",
    { record, newer: [file("a.js", { digest: "1" }), folder("")], paths: new Set(["a.js", "b.js"]) },
    "same",
  ],
  ["other content than recorded", { record, newer: [file("a.js", { digest: "2" })] }, "stale: a.js"],
  [
    "other content, of which Git knows the commit of the start",
    { record, git: { ...git, changed: ["a.js"] }, newer: [file("a.js", { digest: "2" })] },
    "different: a.js",
  ],
  [
    "other content, and the record's commit has the former one, whatever the commit of the start",
    { record, git: { ...git, commit: B, changed: ["a.js"] }, newer: [file("a.js", { digest: "2" })] },
    "different: a.js",
  ],
  [
    "other content, and the record's commit lacks the former one",
    {
      record,
      git: { ...git, changed: ["a.js"], notInCommit: new Set(["a.js"]) },
      newer: [file("a.js", { digest: "2" })],
    },
    "stale: a.js",
  ],
  ["a file that is not recorded", { record, newer: [file("c.js", { digest: "1" })] }, "stale: c.js"],
  [
    "Git has the former content of a file that was renamed",
    {
      record,
      git: { ...git, changed: ["b.js"] },
      newer: [file("c.js", { digest: "1" }), folder("")],
      paths: new Set(["a.js", "c.js"]),
    },
    "different: 2 files: b.js, c.js",
  ],
  [
    "source code without a new build, in another commit",
    {
      buildFolder: "dist",
      git: { ...git, now: B, changed: ["src/a.ts"], committed: ["src/a.ts"] },
      newer: [file("src/a.ts", { git: "tracked" })],
    },
    "different: 4a91c77 to 728e20b, 1 file; dist has not changed",
  ],
  ["a recorded file is gone", { record, newer: [folder("")], paths: new Set(["a.js"]) }, "stale: b.js"],
  [
    "another commit than recorded",
    {
      record,
      git: { ...git, now: B, changed: ["a.js"], committed: ["a.js"] },
      newer: [file("a.js", { digest: "2", git: "tracked" })],
    },
    "different: 4a91c77 to 728e20b, 1 file",
  ],
  [
    "uncommitted changes after the recorded commit",
    { record, git: { ...git, changed: ["a.js"] }, newer: [file("a.js", { digest: "2", git: "tracked" })] },
    "different: a.js",
  ],
  [
    "another install than recorded",
    { record, install: { digest: "j", newer: "written", isAsCommitted: true } },
    "stale: dependencies",
  ],
  ["the same install again", { record, install: { digest: "i", newer: "written", isAsCommitted: true } }, "same"],

  [
    "Git: a changed file",
    {
      git: { ...git, now: B, changed: ["a.js", "b.js", "c.js"], committed: ["a.js", "b.js", "c.js"] },
      newer: [file("a.js", { git: "tracked" })],
    },
    "different: 4a91c77 to 728e20b, 3 files",
  ],
  [
    "the declaration without cwd is in another folder than the process",
    { elsewhere: "/srv/worktree" },
    "unknown: it runs in /srv/app/releases/1, and its file is in /srv/worktree; PM2 keeps the folder of the first start, unless the file declares cwd",
  ],
  [
    "elsewhere, and changed here",
    { elsewhere: "/srv/worktree", record, newer: [file("a.js", { digest: "2" })] },
    "stale: a.js",
  ],
  [
    "Git: another commit, and a change that is not of it",
    { git: { ...git, now: B, changed: ["a.js"] }, newer: [file("a.js", { git: "tracked" })] },
    "different: a.js",
  ],
  [
    "Git: another commit, and a change of it beside one that is not",
    {
      git: { ...git, now: B, changed: ["a.js", "b.js"], committed: ["b.js"] },
      newer: [file("a.js", { git: "tracked" })],
    },
    "different: 4a91c77 to 728e20b, 2 files, 1 of them not committed",
  ],
  [
    "Git: another commit, and what was built from it",
    { git: { ...git, now: B }, newer: [file("dist/a.js", { git: "ignored" })] },
    "stale: 4a91c77 to 728e20b, 1 file",
  ],
  [
    "Git: as in the commit",
    { git, newer: [file("a.js", { git: "tracked" })] },
    "unknown: a.js was written after its start and is as in 4a91c77, so it may have differed at the start",
  ],
  [
    "Git: as in the commit, and PM2 saw no change",
    { git: { ...git, wasClean: true }, newer: [file("a.js", { git: "tracked" })] },
    "same",
  ],
  [
    "Git: as in the commit after a checkout",
    { git: { ...git, movesMs: [1_000_000] }, newer: [file("a.js", { git: "tracked" })] },
    "same",
  ],
  [
    "Git: as in the commit, with a checkout long before",
    { git: { ...git, movesMs: [900_000] }, newer: [file("a.js", { git: "tracked" })] },
    "unknown: a.js was written after its start and is as in 4a91c77, so it may have differed at the start",
  ],
  ["Git: ignored output was built", { git, newer: [file("dist/a.js", { git: "ignored" })] }, "stale: dist/a.js"],
  [
    "Git: ignored output was touched",
    { git, newer: [file("dist/a.js", { git: "ignored", isModified: false })] },
    "unknown: dist/a.js was touched or copied with its old time after its start",
  ],
  ["Git: names changed beside tracked files", { git, newer: [folder("")] }, "same"],
  [
    "Git: names changed beside untracked code",
    { git, newer: [folder("dist", true)] },
    "unknown: names in dist changed after its start",
  ],
  [
    "Git: HEAD moved in that second",
    { git: { ...git, isAmbiguous: true }, newer: [file("a.js", { git: "tracked" })] },
    "unknown: HEAD moved in the second of its start, so it may run 4a91c77 or the commit before",
  ],
  [
    "Git: the commit is gone",
    { git: { ...git, isCommitGone: true }, newer: [file("a.js")] },
    "unknown: the commit of its start, 4a91c77, is no longer in the repository",
  ],
  [
    "Git: no log",
    { git: { ...git, commit: null }, newer: [file("a.js", { isModified: false })] },
    "unknown: a.js was touched or copied with its old time after its start, and Git does not know the commit of its start",
  ],

  ["no Git: a written file", { newer: [file("a.js"), file("b.js")] }, "stale: 2 files: a.js, b.js"],
  [
    "no Git: a touched file",
    { newer: [file("a.js", { isModified: false })] },
    "unknown: a.js was touched or copied with its old time after its start",
  ],
  ["no Git: only names", { newer: [folder("")] }, "unknown: names in its folder changed after its start"],
  [
    "a file that may be code or data",
    { doubts: ["rates.csv"] },
    "unknown: rates.csv changed after its start, and it may be code or data; code.include or code.exclude in svcm.yaml says which",
  ],
  [
    "such a file, and the record is equal otherwise",
    { record, doubts: ["rates.csv"] },
    "unknown: rates.csv changed after its start, and it may be code or data; code.include or code.exclude in svcm.yaml says which",
  ],
  [
    "such a file beside a changed one",
    { record, doubts: ["a.csv"], newer: [file("a.js", { digest: "2" })] },
    "stale: a.js",
  ],
  ["install: written", { install: { digest: "i", newer: "written", isAsCommitted: false } }, "stale: dependencies"],
  [
    "install: touched",
    { install: { digest: "i", newer: "touched", isAsCommitted: false } },
    "unknown: the dependencies were installed again after its start",
  ],
  [
    "install: the lockfile is as in the commit",
    { git, install: { digest: "i", newer: "written", isAsCommitted: true } },
    "unknown: the dependencies were installed again after its start",
  ],
];

describe("the code of a process", () => {
  test.each(CASES)("%s", (_name, evidence, expected) => {
    expect(text(evidence)).toBe(expected);
  });

  test("many names are counted", () => {
    const newer = ["a.js", "b.js", "c.js", "d.js", "e.js"].map((path) => file(path));
    expect(text({ newer })).toBe("stale: 5 files: a.js, b.js, c.js and 2 more");
  });

  test("only a folder in which no file is newer can be recorded", () => {
    expect(isUntouched(untouched)).toBe(true);
    expect(isUntouched({ ...untouched, newer: [folder("")] })).toBe(false);
    expect(isUnwritten({ ...untouched, newer: [folder("")] })).toBe(true);
    expect(isUnwritten({ ...untouched, newer: [folder(""), file("a.js")] })).toBe(false);
    expect(isUnwritten({ ...untouched, isClockSet: true })).toBe(false);
    expect(isUnwritten({ ...untouched, problem: "x" })).toBe(false);
    expect(isUnwritten({ ...untouched, install: { digest: null, newer: "touched", isAsCommitted: false } })).toBe(
      false,
    );
  });
});
