import { existsSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  declarationsPlan,
  declarationsRead,
  declarationsWrite,
  describeError,
  entityTag,
  execute,
  type Ports,
} from "../../../src/core/index.ts";
import { makeRepository, type TestRepository } from "../../support/git.ts";
import { newestRecord } from "../../support/records.ts";
import { makeWorkspace } from "../../support/workspace.ts";
import { longTest } from "../../support/runs.ts";

const caller = { source: "http", actor: "ann", grants: ["read", "write"] } as const;
const FILE = "deployments.yaml";
const SECRET = "canary-5f1c";

const TEXT = `# Reviewed in pull requests.
version: service-management.v1
runtimeEnvironment: dev

serviceConfiguration:
  serviceKind: rest-api # the only kind
  runMode: dedicated-server
  cloudProvider: self-hosted
  ports: { rest: 3000 }

interfaces:
  - type: http-rest
    framework: express
    entrypoint: src/interface/HTTP/start-rest-api.ts
    controller: ItemController.list

deployments:
  # In the cellar.
  - name: staging
    region: rack-2 # second row
    runtime: node22
    serviceType: restapi
    deployTarget: dedicated-server
    runtimeProtocol: http
    databaseDriver: PostgreSQL
    keyValueDriver: redis
    pm2Profile: staging

  # An entry of an earlier version.
  - { name: old, type: dedicated, region: rack-3, runtime: node20 }
  - name: edge
    region: global
    runtime: node22
    serviceType: functions
    deployTarget: lambda
    runtimeProtocol: http
    databaseDriver: DynamoDB
    keyValueDriver: redis
`;

interface Draft {
  serviceConfiguration: Record<string, unknown>;
  interfaces: Record<string, unknown>[];
  deployments: Record<string, unknown>[];
  [name: string]: unknown;
}

async function draftOf(ports: Ports): Promise<{ draft: Draft; tag: string }> {
  const { response, bytes } = await execute(declarationsRead, ports, {}, caller);
  return { draft: structuredClone(response.document) as Draft, tag: await entityTag(ports, bytes) };
}

const plan = (ports: Ports, document: object) =>
  execute(declarationsPlan, ports, { document: { ...document } }, caller);

/** Applies the patch with real Git, and expects the same text as a write. */
async function expectPatchAndWrite(repository: TestRepository, draft: object): Promise<string> {
  const { ports } = repository;
  const { patch = "" } = await plan(ports, draft);
  writeFileSync(repository.path("draft.patch"), patch);
  repository.git("apply", "--check", "draft.patch");
  repository.git("apply", "draft.patch");
  const patched = repository.read(FILE);
  repository.git("checkout", "--quiet", "--", FILE);
  await execute(declarationsWrite, ports, { document: { ...draft } }, caller);
  expect(patched).toBe(repository.read(FILE));
  return patched;
}

describe("the declarations of a repository", () => {
  test("are returned with their verdict, the commit and whether they differ from it", async () => {
    const repository = makeRepository({ [FILE]: TEXT });
    const { response } = await execute(declarationsRead, repository.ports, {}, caller);
    const commit = repository.git("rev-parse", "HEAD").trim();
    expect(response).toMatchObject({ file: FILE, exists: true, valid: true, revision: { commit, isChanged: false } });
    repository.write(FILE, `${TEXT}# more\n`);
    const changed = await execute(declarationsRead, repository.ports, {}, caller);
    expect(changed.response.revision).toEqual({ commit, isChanged: true });
  });

  test("may be missing, outside of Git, or invalid YAML", async () => {
    const none = await execute(declarationsRead, makeWorkspace({}).ports, {}, caller);
    expect(none.response).toMatchObject({ exists: false, valid: true, issues: [] });
    expect(none.response).not.toHaveProperty("document");
    expect(none.response).not.toHaveProperty("revision");
    const bad = await execute(declarationsRead, makeWorkspace({ [FILE]: "a: [" }).ports, {}, caller);
    expect(bad.response).toMatchObject({ exists: true, valid: false });
    expect(bad.response.issues[0]?.at).toMatchObject({ file: FILE });
  });

  test("without a change, the draft causes no difference, no patch, no write and no record", async () => {
    const repository = makeRepository({ [FILE]: TEXT });
    const { draft } = await draftOf(repository.ports);
    expect(await plan(repository.ports, draft)).toEqual({ differences: [], issues: [], patch: "" });
    await execute(declarationsWrite, repository.ports, { document: draft }, caller);
    expect(repository.read(FILE)).toBe(TEXT);
    expect(await newestRecord(repository.ports.audit, 10)).toEqual([]);
  });

  test.each([
    ["no file", undefined],
    ["an empty file", ""],
    ["a comment", "# later\n"],
    ["null", "null\n"],
    ["a marker", "---\n"],
    ["an empty map", "{}\n"],
  ])("a draft without a member changes nothing in %s", async (_what, text) => {
    const workspace = makeWorkspace(text === undefined ? {} : { [FILE]: text });
    for (const document of [{}, { version: "service-management.v1" }, { interfaces: [], deployments: [] }]) {
      expect(await plan(workspace.ports, document)).toMatchObject({ differences: [], issues: [], patch: "" });
      await execute(declarationsWrite, workspace.ports, { document }, caller);
    }
    expect(existsSync(workspace.path(FILE))).toBe(text !== undefined);
    if (text !== undefined) expect(workspace.read(FILE)).toBe(text);
    expect(await newestRecord(workspace.ports.audit, 10)).toEqual([]);
  });

  test("a change that svcm cannot make by its own lines is refused, and that is not a failure", async () => {
    const { ports } = makeWorkspace({ [FILE]: "null\n" });
    const refused = await plan(ports, { runtimeEnvironment: "dev" }).catch(describeError);
    expect(refused).toMatchObject({ status: 409, body: { error: "Edit refused.", code: "SUITE_FILE_UNEDITABLE" } });
  });

  test("of an edit change only the edited line, in the patch and in the write, and the record has the entry", async () => {
    const repository = makeRepository({ [FILE]: TEXT });
    const { draft } = await draftOf(repository.ports);
    Object.assign(draft.deployments[0] ?? {}, { region: "rack-9" });
    expect((await plan(repository.ports, draft)).differences).toEqual([
      { section: "Deploy targets", subject: "staging changed", fields: ["region: rack-2 → rack-9"] },
    ]);
    const text = await expectPatchAndWrite(repository, draft);
    expect(text).toBe(TEXT.replace("rack-2 #", "rack-9 #"));
    expect(await newestRecord(repository.ports.audit, 1)).toMatchObject([
      { action: "suite.write", target: "staging", actor: "ann", source: "http", outcome: "succeeded" },
    ]);
  });

  longTest("many edits at the same time: added, renamed, removed, ports and configuration", async () => {
    const repository = makeRepository({ [FILE]: TEXT });
    const { draft } = await draftOf(repository.ports);
    const [staging, , edge] = draft.deployments;
    draft.deployments = [{ ...staging, name: "stage" }, { ...edge }, { ...staging, name: "production", region: "eu" }];
    draft.interfaces = [];
    Object.assign(draft.serviceConfiguration, { ports: { rest: 4000 } });
    const text = await expectPatchAndWrite(repository, draft);
    const { draft: written } = await draftOf(repository.ports);
    expect(written).toEqual({ ...draft, interfaces: written.interfaces });
    expect(text).toContain("# Reviewed in pull requests.");
    expect(text).toContain("serviceKind: rest-api # the only kind");
    expect(text).toContain("region: rack-2 # second row");
    expect(text).not.toContain("ItemController");
  });

  longTest.each([
    ["Windows line breaks", TEXT.replaceAll("\n", "\r\n")],
    ["no line break at its end", TEXT.trimEnd()],
    ["JSON", JSON.stringify({ version: "service-management.v1", deployments: [] }, undefined, 2)],
  ])("a patch of a file with %s has the same result as a write", async (_what, text) => {
    const repository = makeRepository({ [FILE]: text, ".gitattributes": "* -text\n" });
    const { draft } = await draftOf(repository.ports);
    draft.deployments.push({
      name: "dr-site",
      region: "rack-4",
      runtime: "node22",
      serviceType: "restapi",
      deployTarget: "dedicated-server",
      runtimeProtocol: "http",
      databaseDriver: "PostgreSQL",
      keyValueDriver: "redis",
      pm2Profile: "dev",
    });
    expect(await expectPatchAndWrite(repository, draft)).toContain("dr-site");
  });

  test("that do not exist are created, by the patch and by the write", async () => {
    const repository = makeRepository({ "README.md": "x\n" });
    const document = {
      serviceConfiguration: {
        serviceKind: "rest-api",
        runMode: "container",
        cloudProvider: "docker",
        ports: { rest: 1 },
      },
    };
    const { patch = "" } = await plan(repository.ports, document);
    expect(patch).toMatch(/^--- \/dev\/null\n\+\+\+ b\/deployments\.yaml\n@@ -0,0 \+1,/);
    repository.write("draft.patch", patch);
    repository.git("apply", "draft.patch");
    const patched = repository.read(FILE);
    repository.git("clean", "--quiet", "--force", FILE);
    await execute(declarationsWrite, repository.ports, { document }, caller);
    expect(repository.read(FILE)).toBe(patched);
  });

  test("if the file has another state, the draft is refused, and the file stays unchanged", async () => {
    const repository = makeRepository({ [FILE]: TEXT });
    const { draft, tag } = await draftOf(repository.ports);
    const theirs = TEXT.replace("global", "eu-west-1");
    repository.write(FILE, theirs);
    draft.deployments.pop();
    const refused = await execute(declarationsWrite, repository.ports, { document: draft, ifMatch: tag }, caller).catch(
      describeError,
    );
    expect(refused).toMatchObject({ status: 412, body: { code: "SUITE_FILE_CHANGED" } });
    expect(repository.read(FILE)).toBe(theirs);
  });

  test("an error that the draft adds is refused, and an error that the file already has is not", async () => {
    const repository = makeRepository({
      [FILE]: TEXT.replace("node22\n    serviceType: functions", "latest\n    serviceType: functions"),
    });
    const { draft } = await draftOf(repository.ports);
    Object.assign(draft.deployments[0] ?? {}, { region: "rack-9" });
    await execute(declarationsWrite, repository.ports, { document: draft }, caller);
    expect(repository.read(FILE)).toContain("region: rack-9 # second row");
    Object.assign(draft.deployments[0] ?? {}, { runtime: "lts" });
    expect((await plan(repository.ports, draft)).issues).toMatchObject([{ code: "TARGET_RUNTIME_INVALID" }]);
    const refused = await execute(declarationsWrite, repository.ports, { document: draft }, caller).catch(
      describeError,
    );
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ code: "TARGET_RUNTIME_INVALID" }] } });
    expect(repository.read(FILE)).not.toContain("lts");
  });

  test("a credential in the file is never shown, and a write beside it keeps it", async () => {
    const url = `redis://shop:${SECRET}@cache.example.com`;
    const repository = makeRepository({ [FILE]: TEXT.replace("rack-2 #", `${url} #`) });
    const { draft } = await draftOf(repository.ports);
    expect(JSON.stringify(draft)).not.toContain(SECRET);
    Object.assign(draft.deployments[0] ?? {}, { runtime: "node24" });
    const planned = await plan(repository.ports, draft);
    expect(JSON.stringify(planned)).not.toContain(SECRET);
    expect(planned).not.toHaveProperty("patch");
    const { response } = await execute(declarationsWrite, repository.ports, { document: draft }, caller);
    expect(JSON.stringify(response)).not.toContain(SECRET);
    expect(repository.read(FILE)).toContain(`region: ${url} # second row\n    runtime: node24`);
    expect(JSON.stringify(await newestRecord(repository.ports.audit, 10))).not.toContain(SECRET);
  });

  test.each([
    ["on its line", `    password: ${SECRET}\n`],
    ["in quotes", `    "api-key": "${SECRET}"\n`],
    ["with a name of few letters", `    pwd: ${SECRET}\n`],
    ["in braces", `    more: { at: 1, token: ${SECRET}, note: x }\n`],
    ["below its name", `    credentials:\n      - one\n      - two\n      - three\n      - four\n      - ${SECRET}\n`],
    ["below a name of few letters", `    pwd:\n      a: 1\n      b: 2\n      c: 3\n      d: 4\n      e: ${SECRET}\n`],
    ["in a comment", `    # token: ${SECRET}\n`],
    ["in a map on one line", `  - { name: mine, secret: ${SECRET}, region: x }\n`],
  ])("no draft makes a patch show a member %s, whatever it removes or touches", async (_what, lines) => {
    const own = `  - name: own\n    region: here\n${lines}`;
    const text = TEXT.replace("  # In the cellar.\n", lines.startsWith("  - {") ? lines : own);
    const { ports } = makeWorkspace({ [FILE]: text });
    const { draft } = await draftOf(ports);
    const without = { ...draft, deployments: draft.deployments.slice(1) };
    const touched = structuredClone(draft);
    Object.assign(touched.deployments[0] ?? {}, { region: "there" });
    for (const document of [{}, { version: draft["version"] }, without, touched]) {
      const planned = await plan(ports, document).catch(describeError);
      expect(JSON.stringify(planned)).not.toContain(SECRET);
    }
  });
});
