/** Evidence that nothing changed, and parts to change it with. */
import type { CodeEvidence, GitEvidence, NewerEntry } from "../../../src/core/running/code-evidence.ts";

export const [A, B] = ["4a91c77".padEnd(40, "0"), "728e20b".padEnd(40, "0")];
export const place = { cwd: "/srv/app/releases/1", script: "/srv/app/releases/1/server.js" };
export const untouched: CodeEvidence = {
  declared: place,
  running: {
    cwd: place.cwd,
    isDeleted: false,
    movedLinks: [],
    movedScriptLinks: [],
    isExchanged: true,
    isFormerThere: true,
  },
  record: null,
  isClockSet: false,
  problem: null,
  newer: [],
  doubts: [],
  paths: null,
  install: { digest: "i", newer: "no", isAsCommitted: false },
  git: null,
};
export const record = {
  ...place,
  commit: A,
  code: new Map([
    ["a.js", "1"],
    ["b.js", "1"],
  ]),
  install: "i",
};
export const git: GitEvidence = {
  commit: A,
  now: A,
  wasClean: false,
  isAmbiguous: false,
  isCommitGone: false,
  changed: [],
  committed: [],
  movesMs: [],
};
export const file = (path: string, more: Partial<NewerEntry> = {}): NewerEntry => ({
  path,
  kind: "file",
  isModified: true,
  changedMs: 1_000_000,
  ...more,
});
export const folder = (path: string, hasUntracked = false): NewerEntry =>
  file(path, { kind: "folder", isModified: false, hasUntracked });
export const running = (more: Partial<CodeEvidence["running"]>) => ({ running: { ...untouched.running, ...more } });
