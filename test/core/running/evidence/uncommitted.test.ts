/** Uncommitted code of which not all can be compared. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { unknownCode } from "../../../../src/core/rollout/apply/changed-code.ts";
import { nodeRunningCode } from "../../../../src/core/running/evidence/index.ts";
import { plainEnvironment } from "../../../support/command-line.ts";
import { makeRepository } from "../../../support/git.ts";
import { record } from "../../../support/process-record.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { FILES } from "./scenes.ts";

function edited() {
  const repository = makeRepository(FILES);
  const { root } = repository;
  writeFileSync(join(root, "server.js"), "// by hand");
  const code = nodeRunningCode({ root, env: plainEnvironment(), pm2Home: temporaryFolder() });
  const app = {
    app: "shop",
    cwd: root,
    script: join(root, "server.js"),
    folder: undefined,
    envFiles: {},
    processes: [],
  };
  const request = { ...app, include: [], exclude: [], others: [] };
  return { root, repository, look: () => code.listUncommitted([request]) };
}

test("all of it", async () => {
  const { root, look } = edited();
  expect(await look()).toEqual({ paths: [join(root, "server.js")], problem: null });
});

test("what a slow disk does not give within ten seconds is not called unchanged", async () => {
  const { look } = edited();
  let ms = 0;
  const slow = vi.spyOn(performance, "now").mockImplementation(() => (ms += 5_001));
  onTestFinished(() => slow.mockRestore());
  expect(await look()).toEqual({ paths: [], problem: "its files could not be read within 10 s" });
});

test("nor is it if Git does not list the commit", async () => {
  const { root, repository, look } = edited();
  const tree = repository.git("rev-parse", "HEAD^{tree}").trim();
  rmSync(join(root, ".git/objects", tree.slice(0, 2), tree.slice(2)));
  expect(await look()).toEqual({
    paths: [],
    problem: `Git did not list the files of ${repository.git("rev-parse", "HEAD").slice(0, 10)}`,
  });
});

test("what differs after an apply whose plan could not read it is unknown, and not changed meanwhile", () => {
  const planned = (problem: string | null) => ({
    plan: { git: { commit: "4a91c77", dirty: [] } },
    startedCode: [{ app: "shop" }, { app: "shop" }],
    uncommitted: { paths: [], problem },
  });
  const running = [record({ name: "shop", pmId: 3 }), record({ name: "other", pmId: 4 })];
  const after = { paths: ["server.js"], problem: null };
  expect(unknownCode(planned("late") as never, running, after)).toEqual([
    {
      app: "shop",
      pmIds: [3],
      part: "code",
      reason: "its code could not be compared with the commit: late; now server.js differs from it",
    },
  ]);
  expect(unknownCode(planned(null) as never, running, { paths: [], problem: null })).toEqual([]);
});
