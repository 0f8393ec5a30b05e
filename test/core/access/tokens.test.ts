/** The token file is private, contains no token, and is written atomically. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { execute, tokenCreate, tokenList, tokenRevoke, type Caller, type Ports } from "../../../src/core/index.ts";
import { foreignCode } from "../../../src/core/api/issue.ts";
import { rights } from "../../../src/core/api/rights.ts";
import type { SvcmError } from "../../../src/core/api/errors.ts";
import { nodeTokens } from "../../../src/core/access/tokens.node.ts";
import { addToken, MAX_TOKENS } from "../../../src/core/access/tokens.ts";
import { FileError } from "../../../src/core/files/ports.ts";
import { newestRecord } from "../../support/records.ts";
import { makeWorkspace } from "../../support/workspace.ts";

const caller: Caller = { source: "cli", actor: "ann", grants: rights };
const viewer = { name: "bot", role: "viewer" } as const;
const fileOf = (root: string): string => join(root, ".svcm/tokens.json");

async function codeOf(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => "done",
    (error: { kind: string; body: { code?: string } }) => error.body.code ?? error.kind,
  );
}

test("the file is private and holds a digest, and the folder is ignored by Git", async () => {
  const { root, ports } = makeWorkspace();
  const { token } = await execute(tokenCreate, ports, viewer, caller);
  expect(token).toMatch(/^svcm_[\w-]{43}$/);
  expect(statSync(fileOf(root)).mode & 0o777).toBe(0o600);
  const text = readFileSync(fileOf(root), "utf8");
  expect(text).not.toContain(token);
  expect(text).not.toContain(token.slice("svcm_".length));
  expect(readFileSync(join(root, ".svcm/.gitignore"), "utf8")).toBe("*\n");
});

test("the list has names, roles, limits and times, and neither tokens nor digests", async () => {
  const { ports } = makeWorkspace({
    "svcm.yaml": "version: 1\nenvironments: { dev: [development] }\nservices: { orders: { folder: . } }\n",
  });
  const limited = { environments: ["development"], services: ["orders"], expiresInMs: 60_000 };
  await execute(tokenCreate, ports, { ...viewer, ...limited }, caller);
  await execute(tokenCreate, ports, { name: "ann", role: "admin" }, caller);
  const { tokens } = await execute(tokenList, ports, {}, caller);
  expect(tokens).toEqual([
    { name: "ann", role: "admin", createdAt: expect.any(String), expired: false },
    {
      ...viewer,
      environments: ["dev"],
      services: ["orders"],
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      expired: false,
    },
  ]);
});

test("each change is recorded with the name of the token, and never with the token", async () => {
  const { root, ports } = makeWorkspace();
  const { token } = await execute(tokenCreate, ports, viewer, caller);
  await execute(tokenRevoke, ports, { name: "bot" }, caller);
  await codeOf(execute(tokenRevoke, ports, { name: "bot" }, caller));
  expect(
    (await newestRecord(ports.audit, 9)).map(({ action, target, outcome, code }) => [action, target, outcome, code]),
  ).toEqual([
    ["token.revoke", "bot", "refused", "TOKEN_NOT_FOUND"],
    ["token.revoke", "bot", "succeeded", undefined],
    ["token.create", "bot", "succeeded", undefined],
  ]);
  expect(readFileSync(join(root, ".svcm/audit.jsonl"), "utf8")).not.toContain(token);
});

describe("a refused change leaves the file unchanged", () => {
  test.each<[string, Parameters<typeof tokenCreate.run>[1], string]>([
    ["a name that exists", viewer, "TOKEN_EXISTS"],
    ["the actor of the server's own token", { ...viewer, name: "token" }, "INVALID_REQUEST"],
    ["the actor without a token", { ...viewer, name: "anonymous" }, "INVALID_REQUEST"],
    ["an unknown environment", { ...viewer, name: "b", environments: ["moon"] }, "INVALID_ENVIRONMENT"],
    ["an unknown service", { ...viewer, name: "b", services: ["moon"] }, "SERVICE_UNKNOWN"],
  ])("%s", async (_, input, code) => {
    const { root, ports } = makeWorkspace();
    await execute(tokenCreate, ports, viewer, caller);
    const before = readFileSync(fileOf(root), "utf8");
    expect(await codeOf(execute(tokenCreate, ports, input, caller))).toBe(code);
    expect(readFileSync(fileOf(root), "utf8")).toBe(before);
  });

  test("a name that no token has, also before the first token exists", async () => {
    const { root, ports } = makeWorkspace();
    expect(await codeOf(execute(tokenRevoke, ports, { name: "bot" }, caller))).toBe("TOKEN_NOT_FOUND");
    expect(existsSync(fileOf(root))).toBe(false);
  });

  test("no record can be written", async () => {
    const { root, ports } = makeWorkspace(undefined, { SVC_SERVICE_MANAGEMENT_AUDIT_FILE: "/dev/null/audit.jsonl" });
    expect(await codeOf(execute(tokenCreate, ports, viewer, caller))).toBe("ENOTDIR");
    expect(existsSync(fileOf(root))).toBe(false);
  });
});

test.each([
  ["its beginning", 0, {}, true, true],
  ["its end", 1, {}, false, false],
  // It had ended before.
  ["its beginning", 0, { expiresInMs: 1 }, true, false],
] as const)("a revocation of which %s cannot be recorded", async (_what, records, more, isThere, works) => {
  const { ports } = makeWorkspace();
  await execute(tokenCreate, ports, { ...viewer, ...more }, caller);
  let left: number = records;
  const append: Ports["audit"]["append"] = async (record) => {
    if ((left -= 1) < 0) throw new FileError("ENOSPC", "/srv/audit.jsonl", "The disk is full.");
    await ports.audit.append(record);
  };
  const clock = { ...ports.clock, now: () => ports.clock.now() + 1000 };
  const audit = { ...ports.audit, append };
  const full = Object.create(ports, { audit: { value: audit }, clock: { value: clock } }) as Ports;
  const error = await execute(tokenRevoke, full, { name: "bot" }, caller).catch((refusal: unknown) => refusal);
  expect(error).toMatchObject({ kind: "AUDIT_FAILED", body: { code: "ENOSPC" } });
  expect((error as Error).message.includes("The token still works.")).toBe(works);
  expect((ports.tokens.current() ?? []).map(({ name }) => name)).toEqual(isThere ? ["bot"] : []);
});

describe("a file that svcm cannot trust is refused, and not changed", () => {
  const good = '{ "version": 1, "tokens": [] }';
  test.each<[string, (file: string) => void, string]>([
    ["others may read it", (file) => (writeFileSync(file, good), chmodSync(file, 0o644)), "EPERM"],
    ["its group may write it", (file) => (writeFileSync(file, good), chmodSync(file, 0o620)), "EPERM"],
    ["it is not JSON", (file) => writeFileSync(file, "tokens", { mode: 0o600 }), "TOKENS_INVALID"],
    [
      "it has an unknown role",
      (file) => writeFileSync(file, good.replace("[]", '[{ "name": "x", "role": "root" }]'), { mode: 0o600 }),
      "TOKENS_INVALID",
    ],
    ["it is a folder", (file) => mkdirSync(file, { mode: 0o700 }), "ENOTREG"],
    ["it is a link", (file) => symlinkSync("/dev/null", file), "ELOOP"],
    ["it is too large", (file) => writeFileSync(file, `${good}${" ".repeat(2 ** 20)}`, { mode: 0o600 }), "EFBIG"],
  ])("%s", async (_, make, code) => {
    const { root, ports } = makeWorkspace();
    mkdirSync(join(root, ".svcm"));
    make(fileOf(root));
    const before = statSync(fileOf(root)).mtimeMs;
    expect(await codeOf(execute(tokenCreate, ports, viewer, caller))).toBe(code);
    expect(await codeOf(new Promise((resolve) => resolve(ports.tokens.current())))).toBe(code);
    expect(statSync(fileOf(root)).mtimeMs).toBe(before);
  });
});

test("two processes that create tokens at the same time both succeed", async () => {
  const { root, ports } = makeWorkspace();
  const { nodePorts } = await import("../../../src/core/index.ts");
  const other: Ports = nodePorts({ root, env: { PM2_HOME: join(root, ".pm2") }, cwd: root });
  const made = Array.from({ length: 8 }, (_, at) =>
    execute(tokenCreate, at % 2 ? ports : other, { name: `bot-${at}`, role: "viewer" }, caller),
  );
  await Promise.all(made);
  expect((await execute(tokenList, other, {}, caller)).tokens.length).toBe(8);
});

test.each([
  [MAX_TOKENS - 1, MAX_TOKENS],
  [MAX_TOKENS, "INVALID_PAYLOAD"],
])("a repository with %i tokens gets one more: %s", (count, expected) => {
  const token = { role: "viewer", digest: "", createdAt: "" } as const;
  const before = Array.from({ length: count }, (_, at) => ({ ...token, name: `bot-${at}` }));
  const after = (() => {
    try {
      return addToken(before, { ...token, name: "ann" }).length;
    } catch (error) {
      return (error as SvcmError).kind;
    }
  })();
  expect(after).toBe(expected);
});

test.each([
  ["ENOSPC", [], "written"],
  ["EDQUOT", [], "written"],
  // More tokens would not fit in the place of the former ones.
  ["ENOSPC", ["ann", "bot", "eve"], "ENOSPC"],
  ["EACCES", [], "EACCES"],
])("if a write fails with %s, the tokens %j are %s", async (code, names, expected) => {
  const { root, ports } = makeWorkspace();
  for (const name of ["ann", "bot"]) await execute(tokenCreate, ports, { ...viewer, name }, caller);
  const before = readFileSync(fileOf(root), "utf8");
  const [token] = ports.tokens.current()!;
  const replace = () => Promise.reject(new FileError(foreignCode(code), fileOf(root), "It failed."));
  const tokens = nodeTokens(join(root, ".svcm"), { replace });
  let begun = 0;
  const update = tokens.update(
    () => names.map((name) => ({ ...token!, name })),
    async () => void (begun += 1),
  );
  expect(await codeOf(update)).toBe(expected === "written" ? "done" : expected);
  expect([tokens.current()?.map(({ name }) => name), begun]).toEqual(
    expected === "written" ? [names, 1] : [["ann", "bot"], 0],
  );
  if (expected !== "written") expect(readFileSync(fileOf(root), "utf8")).toBe(before);
});

test("a path below a file has no tokens, as a repository that never had one", () => {
  const workspace = makeWorkspace();
  workspace.write("file", "");
  expect(nodeTokens(workspace.path("file"), workspace.ports.files).current()).toBeUndefined();
});
