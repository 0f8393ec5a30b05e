import { existsSync, lstatSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import {
  describeError,
  execute,
  FileError,
  type Ports,
  configurationSet,
  deploymentsMigrate,
  interfaceAdd,
  interfaceEdit,
  interfaceRemove,
  targetAdd,
  targetDuplicate,
  targetEdit,
  targetRemove,
} from "../../../src/core/index.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { newestRecord } from "../../support/records.ts";

const caller = { source: "cli", actor: "ann", grants: ["read", "write"] } as const;
const FILE = "deployments.yaml";
const good = { deployTarget: "dedicated-server", runtime: "node22" };

const add = (ports: Ports, name: string, file = FILE) =>
  execute(targetAdd, ports, { file, dryRun: false, values: { name, ...good } }, caller);

test("concurrent adds to a missing file all succeed", async () => {
  const workspace = makeWorkspace({});
  const names = Array.from({ length: 12 }, (_, index) => `target-${index}`);
  const answers = await Promise.all(names.map((name) => add(workspace.ports, name)));
  expect(answers.filter(({ created }) => created)).toHaveLength(1);
  const text = workspace.read(FILE);
  for (const name of names) expect(text).toContain(`  - name: ${name}\n`);
  expect(text.match(/^version:/gm)).toHaveLength(1);
  expect(readdirSync(workspace.root).filter((file) => file.includes("svcm-"))).toEqual([]);
});

test("of two concurrent adds with the same name, one succeeds", async () => {
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

test("a change is recorded with the entry and the fields, but never a value; an edit without a change is not recorded", async () => {
  const workspace = makeWorkspace({});
  await add(workspace.ports, "qa");
  const edit = (region: string) =>
    execute(targetEdit, workspace.ports, { dryRun: false, name: "QA", values: { region }, clear: [] }, caller);
  await edit("canary-host");
  const before = lstatSync(workspace.path(FILE)).ino;
  expect(await edit("canary-host")).toMatchObject({ changed: false, changes: [] });
  expect(lstatSync(workspace.path(FILE)).ino).toBe(before);
  await execute(targetRemove, workspace.ports, { dryRun: false, name: "qa" }, caller);
  expect(await newestRecord(workspace.ports.audit, 10)).toMatchObject([
    { action: "suite.target.remove", target: "qa", actor: "ann", outcome: "succeeded" },
    { action: "suite.target.edit", target: "qa", keys: ["region"] },
    { action: "suite.target.add", target: "qa" },
  ]);
  expect(readFileSync(workspace.path(".svcm/audit.jsonl"), "utf8")).not.toContain("canary");
});

test("the audit log keeps the name of every action", async () => {
  const { ports } = makeWorkspace({});
  const edit = { dryRun: false, clear: [] };
  const adapter = { type: "grpc", framework: "grpc", entrypoint: "src/interface/a.ts", controller: "AController.get" };
  const configuration = { serviceKind: "rest-api", runMode: "functions", cloudProvider: "aws", "ports.rest": "3000" };
  await add(ports, "qa");
  await execute(targetEdit, ports, { ...edit, name: "qa", values: { region: "eu" } }, caller);
  await execute(targetDuplicate, ports, { ...edit, name: "qa" }, caller);
  await execute(targetRemove, ports, { ...edit, name: "qa" }, caller);
  await execute(interfaceAdd, ports, { ...edit, values: adapter }, caller);
  await execute(interfaceEdit, ports, { ...edit, which: "1", values: { controller: "BController.get" } }, caller);
  await execute(interfaceRemove, ports, { ...edit, which: "1" }, caller);
  await execute(configurationSet, ports, { ...edit, values: configuration }, caller);
  expect((await newestRecord(ports.audit, 10)).map(({ action }) => action).toReversed()).toEqual([
    "suite.target.add",
    "suite.target.edit",
    "suite.target.duplicate",
    "suite.target.remove",
    "suite.interface.add",
    "suite.interface.edit",
    "suite.interface.remove",
    "suite.configuration.set",
  ]);
  const legacy = makeWorkspace({ [FILE]: "deployments:\n  - { name: a, type: vm, region: eu, runtime: node22 }\n" });
  await execute(deploymentsMigrate, legacy.ports, { dryRun: false }, caller);
  expect(await newestRecord(legacy.ports.audit, 10)).toMatchObject([{ action: "suite.migrate" }]);
});

test("two targets with names that differ in case only are ambiguous, unless the spelling is exact", async () => {
  const target = "deployTarget: dedicated-server, runtime: node22, serviceType: restapi, runtimeProtocol: http";
  const text = ["qa", "QA"].map((name) => `  - { name: ${name}, ${target} }\n`).join("");
  const { ports } = makeWorkspace({ [FILE]: `deployments:\n${text}` });
  const remove = (name: string) => execute(targetRemove, ports, { dryRun: true, name }, caller);
  await expect(remove("Qa")).rejects.toMatchObject({ body: { code: "TARGET_AMBIGUOUS" } });
  expect(await remove("QA")).toMatchObject({ target: "QA", changes: [{ line: 3 }] });
});

test("a copy of a target with capitals has a name that no other target has, ignoring case", async () => {
  const { ports } = makeWorkspace({});
  await add(ports, "Prod");
  await add(ports, "PROD (Copy)");
  const copy = await execute(targetDuplicate, ports, { dryRun: false, name: "prod" }, caller);
  expect(copy.target).toBe("Prod (copy 2)");
});

test("credentials in surrounding lines are masked in the answer, and kept in the file", async () => {
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

test("only an add creates a missing file, and an unreadable document is not changed", async () => {
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

test("a link to a missing file is not replaced by a new file", async () => {
  const workspace = makeWorkspace({});
  symlinkSync("gone.yaml", workspace.path(FILE));
  const outcome = await add(workspace.ports, "qa").catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(Error);
  expect(outcome).not.toBeInstanceOf(FileError);
  expect(lstatSync(workspace.path(FILE)).isSymbolicLink()).toBe(true);
});
