/** Bad releases under load: the former code answers, `current` stays, and the output names the cause. */
import { createServer } from "node:net";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { InputOf } from "../../src/core/api/inputs.ts";
import { execute, releaseList, rolloutPlan } from "../../src/core/index.ts";
import { loadDuring } from "../support/http-load.ts";
import { caller, shopUnderPm2 } from "./deployed-shop.ts";

const shop = shopUnderPm2();
const text: Record<string, string> = {};

beforeAll(async () => {
  for (const name of ["app.cjs", "ecosystem.config.cjs", "svcm.yaml"])
    text[name] = readFileSync(join(shop.checkout, name), "utf8");
  await shop.deploy();
});

/** Changes of the commit, by file. */
type Change = (files: Record<string, string>) => Record<string, string>;
const deploySetting =
  (setting: string): Change =>
  (files) => ({ "svcm.yaml": files["svcm.yaml"]!.replace("deploy: {", `deploy: { ${setting},`) });
const inApp =
  (code: string): Change =>
  (files) => ({ "app.cjs": `${files["app.cjs"]}\n${code}` });

const crashAfter = (ms: number): Change => inApp(`setTimeout(() => { throw new Error("no database"); }, ${ms});`);
const PREPARED = "DEPLOY_FAILED";
const GATED = "APPLY_REVERTED";

test.each<[string, Change, string, RegExp, Partial<InputOf<"deploy.run">>]>([
  [
    "the install fails",
    deploySetting('install: "echo no registry; exit 9"'),
    PREPARED,
    /exit code 9\.\n {2}no registry/,
    {},
  ],
  ["the build hangs", deploySetting('timeout: 2s, build: "sleep 60"'), PREPARED, /did not finish within 2 seconds/, {}],
  ["the check fails", deploySetting('check: "echo no schema; exit 3"'), PREPARED, /exit code 3\.\n {2}no schema/, {}],
  [
    "a value of the build is missing",
    deploySetting('env: [SENTRY_RELEASE], build: "true"'),
    PREPARED,
    /SENTRY_RELEASE/,
    {},
  ],
  [
    "a key of the env file is missing",
    (files) => ({
      "svcm.yaml": `${files["svcm.yaml"]}  DATABASE_URL: { kind: text, required: true, tier: read-only }\n`,
    }),
    PREPARED,
    /svcm env check found errors[^]*DATABASE_URL/,
    {},
  ],
  [
    "the ecosystem file throws",
    () => ({ "ecosystem.config.cjs": 'throw new Error("no such module");' }),
    PREPARED,
    /ecosystem\.config\.cjs:1:7: the file threw Error/,
    {},
  ],
  [
    "it crashes at load",
    (files) => ({ "app.cjs": `throw new Error("no database");\n${files["app.cjs"]}` }),
    GATED,
    // PM2 loses what a worker of a cluster writes while it loads; svcm why names the command that shows it.
    /web: .*ended right after its start/,
    {},
  ],
  ["it crashes after 2 seconds", crashAfter(2000), GATED, /It wrote: Error: no database/, { minHealthyMs: 5000 }],
  ["it crashes after 20 seconds", crashAfter(20_000), GATED, /It wrote: Error: no database/, { minHealthyMs: 23_000 }],
  [
    "it is never ready",
    (files) => ({
      "ecosystem.config.cjs": files["ecosystem.config.cjs"]!.replace(
        '"pmx"',
        '"wait_ready":true,"listen_timeout":2000,"pmx"',
      ),
      "app.cjs": "setInterval(() => {}, 1000);",
    }),
    GATED,
    /web/,
    { timeoutMs: 8000 },
  ],
  [
    "it answers 500",
    (files) => ({
      "svcm.yaml": files["svcm.yaml"]!.replace(
        "rollout: {",
        "rollout: { healthyDeadline: 4s, health: { web: { port: PORT, path: / } },",
      ),
      "app.cjs": files["app.cjs"]!.replace("response.end(version)", "response.writeHead(500).end()"),
    }),
    GATED,
    /500/,
    {},
  ],
])("%s", async (_what, change, kind, cause, input) => {
  const before = [shop.current(), (await shop.ports.processes.list()).map(({ script }) => script)];
  shop.publish({ ...text, ...change(text), VERSION: `${Math.random()}` });
  let error: Awaited<ReturnType<typeof shop.refused>> | undefined;
  const load = await loadDuring(shop.port, async () => void (error = await shop.refused(input)));
  expect([error?.kind, error?.message], error?.message).toEqual([kind, expect.stringMatching(cause)]);
  expect([shop.current(), (await shop.ports.processes.list()).map(({ script }) => script)]).toEqual(before);
  expect(await shop.answer()).toBe("1");
  const { changed, issues } = await execute(rolloutPlan, shop.ports, { environment: "production" }, caller);
  expect([changed, issues]).toEqual([false, []]);
  console.log(`${load.failed} of ${load.sent} requests failed`);
  if (kind !== GATED) expect(load.failed).toBe(0);
});

test.each(["cluster", "fork"])(
  "in %s mode, its port is taken: the release names the error and the holder",
  async (mode) => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    const before = shop.current();
    const ecosystem = text["ecosystem.config.cjs"]!.replace(`${shop.port()}`, `${port}`);
    const files = { ...text, "ecosystem.config.cjs": ecosystem.replace('"cluster"', `"${mode}"`) };
    shop.publish({ ...files, VERSION: `taken in ${mode} mode` });
    // On a busy machine, a process takes longer than the 200 ms of this shop until it listens.
    const error = await shop.refused({ minHealthyMs: 3000 });
    expect([error.kind, error.message]).toEqual([GATED, expect.stringContaining("EADDRINUSE")]);
    const [newest] = (await execute(releaseList, shop.ports, {}, caller)).releases;
    expect(newest?.failure).toMatchObject({
      errorLines: [expect.stringMatching(`^Error: .*EADDRINUSE.* 127\\.0\\.0\\.1:${port}(?: \\(\\d+ times\\))?$`)],
      port: { port, pid: process.pid, app: null },
    });
    expect([shop.current(), await shop.answer()]).toEqual([before, "1"]);
  },
);
