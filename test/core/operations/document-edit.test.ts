import { existsSync, lstatSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import {
  describeError,
  execute,
  FileError,
  type Ports,
  deploymentsMigrate,
  targetAdd,
  targetEdit,
  targetRemove,
} from "../../../src/core/index.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { newest } from "../../support/records.ts";

const caller = { source: "cli", actor: "ann", grants: ["read", "write"] } as const;
const FILE = "deployments.yaml";
const good = { deployTarget: "dedicated-server", runtime: "node22" };

const add = (ports: Ports, name: string, file = FILE) =>
  execute(targetAdd, ports, { file, dryRun: false, values: { name, ...good } }, caller);

test("many adds at once all land, on a file that none of them has found", async () => {
  const workspace = makeWorkspace({});
  const names = Array.from({ length: 12 }, (_, index) => `target-${index}`);
  const answers = await Promise.all(names.map((name) => add(workspace.ports, name)));
  expect(answers.filter(({ created }) => created)).toHaveLength(1);
  const text = workspace.read(FILE);
  for (const name of names) expect(text).toContain(`  - name: ${name}\n`);
  expect(text.match(/^version:/gm)).toHaveLength(1);
  expect(readdirSync(workspace.root).filter((file) => file.includes("svcm-"))).toEqual([]);
});

test("one name added twice at once lands once", async () => {
  const workspace = makeWorkspace({ [FILE]: "" });
  const outcomes = await Promise.allSettled([add(workspace.ports, "qa"), add(workspace.ports, "QA")]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  expect(workspace.read(FILE).match(/name: qa/gi)).toHaveLength(1);
});

test("a dry run writes nothing and leaves no record, with a file and without", async () => {
  for (const files of [{}, { [FILE]: "deployments: []\n" }]) {
    const workspace = makeWorkspace(files);
    const input = { dryRun: true, values: { name: "qa", ...good } };
    const answer = await execute(targetAdd, workspace.ports, input, caller);
    expect(answer).toMatchObject({ dryRun: true, changed: true, created: !(FILE in files) });
    expect(answer.changes.flatMap(({ after }) => after).join("\n")).toContain("  - name: qa\n    runtime: node22");
    expect(existsSync(workspace.path(FILE))).toBe(FILE in files);
    expect(existsSync(workspace.path(".svcm"))).toBe(false);
  }
});

test("a change is recorded with the entry and the fields, never a value; no change is not", async () => {
  const workspace = makeWorkspace({});
  await add(workspace.ports, "qa");
  const edit = (region: string) =>
    execute(targetEdit, workspace.ports, { dryRun: false, name: "QA", values: { region }, clear: [] }, caller);
  await edit("canary-host");
  const before = lstatSync(workspace.path(FILE)).ino;
  expect(await edit("canary-host")).toMatchObject({ changed: false, changes: [] });
  expect(lstatSync(workspace.path(FILE)).ino).toBe(before);
  await execute(targetRemove, workspace.ports, { dryRun: false, name: "qa" }, caller);
  expect(await newest(workspace.ports.audit, 10)).toMatchObject([
    { action: "suite.target.remove", target: "qa", actor: "ann", outcome: "succeeded" },
    { action: "suite.target.edit", target: "qa", keys: ["region"] },
    { action: "suite.target.add", target: "qa" },
  ]);
  expect(readFileSync(workspace.path(".svcm/audit.jsonl"), "utf8")).not.toContain("canary");
});

test("credentials in the lines around are masked in what is told, and kept in the file", async () => {
  const text = "deployments:\n  - { name: a, type: vm, region: eu, runtime: node22, token: canary }\n";
  const workspace = makeWorkspace({ [FILE]: text });
  const answer = await execute(deploymentsMigrate, workspace.ports, { dryRun: false }, caller);
  expect(JSON.stringify(answer)).not.toContain("canary");
  expect(workspace.read(FILE)).toContain("token: canary");
  const edited = await execute(
    targetEdit,
    workspace.ports,
    { dryRun: false, name: "a", values: { region: "us" }, clear: [] },
    caller,
  );
  expect(JSON.stringify(edited)).not.toContain("canary");
});

test("without a file only what adds makes one; a document that cannot be read is left alone", async () => {
  const workspace = makeWorkspace({ "broken.yaml": "a: [\n", "latin.yaml": Buffer.from([0x61, 0x3a, 0xff]) });
  const failure = async (promise: Promise<unknown>) =>
    describeError(
      await promise.then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
  const remove = execute(targetRemove, workspace.ports, { dryRun: false, name: "qa" }, caller);
  expect(await failure(remove)).toMatchObject({ exitCode: 3, body: { code: "SUITE_FILE_NOT_FOUND" } });
  expect(await failure(add(workspace.ports, "qa", "broken.yaml"))).toMatchObject({
    exitCode: 1,
    body: { issues: [{}] },
  });
  expect(await failure(add(workspace.ports, "qa", "latin.yaml"))).toMatchObject({
    body: { code: "SUITE_FILE_NOT_UTF8" },
  });
  expect(await failure(add(workspace.ports, "qa", "no/folder.yaml"))).toMatchObject({ exitCode: 3 });
  expect(await failure(add(workspace.ports, "qa", "../outside.yaml"))).toMatchObject({ body: { code: "EOUTSIDE" } });
  expect(existsSync(workspace.path("../outside.yaml"))).toBe(false);
});

test("a link that leads nowhere is not replaced by a new file", async () => {
  const workspace = makeWorkspace({});
  symlinkSync("gone.yaml", workspace.path(FILE));
  const outcome = await add(workspace.ports, "qa").catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(Error);
  expect(outcome).not.toBeInstanceOf(FileError);
  expect(lstatSync(workspace.path(FILE)).isSymbolicLink()).toBe(true);
});
