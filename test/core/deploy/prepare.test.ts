/** The order of the steps that make a release, and what ends them before anything that runs is touched. */
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { SvcmError } from "../../../src/core/api/errors.ts";
import { checkPrepared } from "../../../src/core/deploy/prepare.ts";
import { plainEnvironment } from "../../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../../support/git.ts";
import { commit, ID, makeWorld, NOW, refusal, type World } from "./release-world.ts";

const GIB = 2 ** 30;
const at = new Date(NOW).toISOString();

test("a release is written, shares its files, is built, checked, measured, and then recorded as prepared", async () => {
  const logs = {
    out_file: "/d/shared/logs/web.log",
    error_file: "/d/shared/logs/web.err",
    pid_file: "/d/sharedness/x",
  };
  const deploy = "{ shared: [uploads], build: make, check: ./smoke }";
  const world = makeWorld({ deploy, apps: [{ name: "web", ...logs }] });
  const record = await world.prepare();
  expect(record).toMatchObject({ id: ID, state: "prepared", size: { bytes: 100, files: 10 }, values: undefined });
  expect(world.calls).toEqual([
    `folder /d/releases/${ID}`,
    `write 4a91c77 /d/releases/${ID} /d/records/${ID}.index`,
    "REVISION 4a91c77 true",
    "share uploads of checkout/uploads",
    "run make",
    "run ./smoke",
    "folder /d/shared/logs",
    "note  [[],[]]",
    "sync",
  ]);
  expect(world.events.map(({ event }) => event)).toEqual(["begin", "command", "command", "prepared"]);
  const { root: top } = world.checkout;
  const by = { source: "cli", actor: "ann" };
  const of = { commit, revision: "main", source: "/origin", subject: "faster search" };
  const where = { environment: "production", spellings: ["production", "prod"], checkout: top, prefix: "" };
  expect(world.events[0]).toEqual({ event: "begin", id: ID, ...of, ...where, by, at });
  expect(world.reported).toContain(`files: 4a91c77 to /d/releases/${ID}`);
});

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ["is built already", {}, ["run npm ci", "run ./smoke"]],
  ["with its packages needs no install either", { "node_modules/a/index.js": "" }, ["run ./smoke"]],
])("a release file %s", async (_what, release, expected) => {
  const deploy = "{ install: npm ci, build: make, check: ./smoke }";
  const { calls, prepare } = makeWorld({ deploy, digest: "d", release });
  await prepare();
  expect(calls.filter((one) => /^(?:run|REVISION)/.test(one))).toEqual(expected);
});

describe("a release is not deployed", () => {
  const many = ["a", "b", "c", "d", "e", "f"];
  test.each<[string, World, string, string]>([
    [
      "without its submodules",
      { submodules: many },
      "SUBMODULE_UNSUPPORTED",
      "The commit has submodules, which svcm does not fetch: a, b, c, d, e. Their files would be missing.",
    ],
    [
      "with pointers of LFS",
      { pointers: ["b.bin", "c.bin"] },
      "LFS_MISSING",
      "The commit has pointers of Git LFS without their content: b.bin. Their files would be missing.",
    ],
    [
      "of more than two GiB",
      { size: { bytes: 2 * GIB + 2 ** 20, files: 1 }, free: { bytes: 9 * GIB, files: undefined } },
      "EFBIG",
      "The release has 2049 MiB in 1 files. Accepted: at most 2048 MiB in 300000 files.",
    ],
    [
      "of more than 300,000 files",
      { size: { bytes: 1, files: 300_001 }, free: { bytes: 9 * GIB, files: undefined } },
      "EFBIG",
      "The release has 0 MiB in 300001 files. Accepted: at most 2048 MiB in 300000 files.",
    ],
  ])("%s", async (_what, world, code, details) => {
    const { error, calls, events } = await refusal(world);
    expect(error).toMatchObject({ kind: "DEPLOY_FAILED", body: { code } });
    expect(error.body.details).toBe(`${details}\nNothing that runs was touched.`);
    expect(calls.at(-1)).toBe(`remove ${ID}`);
    expect(events.at(-1)).toEqual({ event: "end", outcome: "failed", at, reason: details });
  });

  test("at exactly the limit it is", async () => {
    const { prepare } = makeWorld({
      size: { bytes: 2 * GIB, files: 300_000 },
      free: { bytes: 9 * GIB, files: undefined },
    });
    expect(await prepare()).toMatchObject({ size: { bytes: 2 * GIB, files: 300_000 } });
  });

  test("without svcm.yaml in the commit if the checkout has one", async () => {
    const made = makeWorld();
    const { workspace } = made.world as { workspace: object };
    Object.assign(made.world, { workspace: { ...workspace, root: "/nowhere" } });
    await expect(made.prepare()).rejects.toMatchObject({ body: { code: "DEPLOY_NOT_COMMITTED" } });
  });

  test.each([
    ["before its commands", 0],
    ["after its build", 1],
  ])("if it is stopped %s", async (_when, runs) => {
    const stop = new AbortController();
    if (runs === 0) stop.abort();
    const deploy = "{ build: make }";
    const { error, calls } = await refusal({ deploy, signal: stop.signal, run: () => stop.abort() });
    expect(error.body.code).toBe("DEPLOY_STOPPED");
    expect(calls.filter((one) => one === "run make")).toHaveLength(runs);
    expect(calls).not.toContain("sync");
  });
});

describe("the space that a release needs is 1.2 times that of", () => {
  const size = { bytes: 100 * 2 ** 20, files: 100 };
  const records = [
    { id: "a", state: "pruned", size: { bytes: 1, files: 1 } },
    { id: "b", state: "failed", size: null },
    { id: "c", state: "done", size: { bytes: 50 * 2 ** 20, files: 50 } },
  ] as const;
  test.each<[string, World, string | undefined]>([
    ["the checkout", { free: { bytes: 120 * 2 ** 20, files: 120 } }, undefined],
    ["the last release", { records, free: { bytes: 60 * 2 ** 20, files: 60 } }, undefined],
    [
      "the checkout, in bytes",
      { free: { bytes: 120 * 2 ** 20 - 1, files: 120 } },
      "as large as the checkout needs 120 MiB, and 120 MiB are free",
    ],
    [
      "the checkout, in files",
      { free: { bytes: GIB, files: 119 } },
      "as large as the checkout needs 120 more files, and 119 are free",
    ],
    [
      "the last release, in bytes",
      { records, free: { bytes: 1, files: 60 } },
      "like the last one needs 60 MiB, and 0 MiB are free",
    ],
    ["the checkout, without a limit of files", { free: { bytes: GIB, files: undefined } }, undefined],
  ])("%s", async (_what, world, missing) => {
    const made = makeWorld({ size, ...world });
    const error: unknown = await made.prepare().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (missing === undefined) return expect(error).toBeUndefined();
    expect(error).toMatchObject({ kind: "DEPLOY_IMPOSSIBLE", body: { code: "DEPLOY_NO_SPACE", path: "/d" } });
    expect(error).toMatchObject({ body: { details: `A release ${missing} in /d.\nNothing that runs was touched.` } });
    expect([made.calls, made.events]).toEqual([[], []]);
  });
});

describe("an env file that the commit lacks", () => {
  const env = (name: string): string => `env: { production: ${name} }\n`;
  test.each<[string, World, string[]]>([
    ["is shared from the checkout", { checkout: { ".env.a": "" } }, [".env.a"]],
    ["is shared if releases share it already", { more: env(".env.kept") }, [".env.kept"]],
    ["is shared once if deploy.shared names it", { checkout: { ".env.a": "" }, deploy: "{ shared: [.env.a] }" }, []],
    ["is not shared if it is nowhere", {}, []],
    ["is not shared if the commit has it", { checkout: { ".env.a": "" }, release: { ".env.a": "" } }, []],
  ])("%s", async (_what, world, named) => {
    const made = makeWorld({ release: {}, more: env(".env.a"), ...world });
    await made.prepare();
    expect(made.notes).toEqual(named.map((name) => `${name} is not in the commit, so it is shared: /d/shared/${name}`));
    const all = world.deploy === undefined ? named : [".env.a"];
    expect(made.calls).toContain(`share ${all.map((name) => `${name} of checkout/${name}`).join(", ")}`.trim());
  });
});

describe("apps of other services of the folder are noted, too", () => {
  test("with the code that svcm.yaml names", async () => {
    const ecosystem = "ecosystem: { production: ecosystem.config.cjs }";
    const more = `services:
  api: { ${ecosystem}, apps: [web], code: { include: [data], exclude: [tmp] } }
  jobs: { folder: jobs, code: { exclude: [out] } }
  docs: { code: { exclude: [out] } }
`;
    const made = makeWorld({ more });
    await made.prepare();
    expect(made.calls.at(-2)).toBe('note  [["data"],["tmp"]], jobs [[],["out"]]');
  });
});

describe("a release that is prepared already", () => {
  const check = async (world: World, record: { readonly id: string }) => {
    const made = makeWorld(world);
    await checkPrepared(await made.context(), made.code, record as never);
    return made;
  };
  const logs = { apps: [{ name: "web", out_file: "/d/shared/logs/web.log" }] };

  test("is checked again, because env files may have changed since", async () => {
    expect((await check(logs, { id: ID })).calls).toEqual(["folder /d/shared/logs"]);
    await expect(check({ release: { ".env.production": "PORT=0\n" } }, { id: ID })).rejects.toMatchObject({
      kind: "DEPLOY_FAILED",
      body: { code: "DEPLOY_CHECK_FAILED", details: expect.stringContaining("Nothing that runs was touched.") },
    });
  });

  test("and is current is not", async () => {
    const current = { ...logs, current: ID, release: { ".env.production": "PORT=0\n" } };
    expect((await check(current, { id: ID })).calls).toEqual([]);
  });
});

describe("an ecosystem file of the checkout that the commit lacks", () => {
  const prepared = async (ignored: string) => {
    const deploy = "{ install: false, build: make }";
    const checkout = { "ecosystem.config.cjs": "", ".gitignore": ignored };
    const made = makeWorld({ deploy, checkout });
    execFileSync("git", ["init", "--quiet", made.checkout.root], { env: plainEnvironment(GIT_ENVIRONMENT) });
    const error = await made.prepare().then(
      () => undefined,
      ({ body }: SvcmError) => body,
    );
    return { error, runs: made.calls.filter((call) => call.startsWith("run")) };
  };

  test("is named before the build", async () => {
    const { error, runs } = await prepared("");
    expect(error).toMatchObject({
      code: "DEPLOY_NOT_COMMITTED",
      details:
        "The ecosystem file ecosystem.config.cjs, which svcm.yaml declares, is in the checkout and not in the commit.\nNothing that runs was touched.",
      hint: expect.stringContaining("git add ecosystem.config.cjs, commit and push it."),
    });
    expect(runs).toEqual([]);
  });

  test("may be written by the build if Git ignores it", async () => {
    expect(await prepared("ecosystem.config.cjs")).toEqual({ error: undefined, runs: ["run make"] });
  });
});
