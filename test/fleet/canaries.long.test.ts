/** Secrets are planted on a node wherever a reader may meet one. No message that reaches a key may hold one. */
import { execFileSync } from "node:child_process";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { nodePorts, remoteOperations, SvcmError } from "../../src/core/index.ts";
import { packagedRuntimeContract } from "../../src/core/project/facts/packaged.generated.ts";
import { plainEnvironment } from "../support/command-line.ts";
import { GIT_ENVIRONMENT } from "../support/git.ts";
import { hasNats } from "../support/nats-server.ts";
import { endsWith, pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { inputFor, type AnyOperation } from "../support/rights-matrix.ts";
import { rawConnection, testFleet, type TestFleet } from "./support.ts";

const MS = 60_000;
const operations = remoteOperations as unknown as readonly AnyOperation[];
const place = { environment: "dev", service: "orders" } as const;
/** Only readers of logs may see it. */
const LINE = "an ordinary line of the app";

interface World {
  readonly fleet: TestFleet;
  readonly own: Pm2;
  readonly canaries: readonly string[];
}

/** One app that idles, one that ended with an error, and one that is declared only; Git with a changed file. */
async function plantedNode(): Promise<World> {
  const canaries: string[] = [];
  const canary = (what: string): string => {
    canaries.push(`canary${canaries.length}${what}x7Qz`);
    return canaries.at(-1) ?? "";
  };
  const fleet = await testFleet({ ecosystem: "pm2/ecosystem.dev.config.cjs" });
  const root = fleet.root("web-1");
  const hidden = Object.entries(packagedRuntimeContract.keys).filter(([, { tier }]) => tier === "never-exposed");
  const secret = canary("log");
  const files = {
    ".gitignore": ".env*\nkey.nk\n.svcm\n",
    "idle.cjs": `console.log(${JSON.stringify(LINE)}); console.log("password is ${secret}"); setInterval(() => {}, 1e6);`,
    "crash.cjs": endsWith(`new Error("cannot reach postgres://user:${secret}@db.internal/orders")`, 3),
    "pm2/ecosystem.dev.config.cjs": `module.exports = ${JSON.stringify({
      apps: [
        {
          name: "orders-dev",
          script: "idle.cjs",
          args: ["--password", canary("argument"), `--url=redis://user:${canary("url")}@127.0.0.1`],
          env: { ORDERS_PASSWORD: secret, ORDERS_NOTE: canary("unknown") },
        },
        { name: "crash-dev", script: "crash.cjs", autorestart: false, env: { CRASH_PASSWORD: secret } },
        { name: "absent-dev", script: "idle.cjs", env: { ABSENT_TOKEN: canary("absent") } },
      ],
    })};`,
  };
  mkdirSync(join(root, "pm2"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  appendFileSync(
    join(root, ".env.dev"),
    [
      ...hidden.map(([key]) => `${key}=${canary("hidden")}`),
      `# SVC_COMMENT=${canary("comment")}`,
      `SVC_FOREIGN="${canary("foreign")}"`,
      `a stray line ${canary("stray")}`,
      "",
    ].join("\n"),
  );
  const gitEnvironment = plainEnvironment(GIT_ENVIRONMENT);
  for (const args of ["init --quiet", "add --all", "commit --quiet --message first"])
    execFileSync("git", args.split(" "), { cwd: root, env: gitEnvironment });
  const own = pm2();
  onTestFinished(() => own.end());
  await own.startDaemon();
  const env = { PATH: process.env["PATH"] ?? "", HOME: root, PM2_HOME: own.home, ...GIT_ENVIRONMENT };
  const ports = nodePorts({ root, env: { ...env, SVCM_SECRET_TOKEN: canary("shell") }, cwd: root });
  await fleet.start("web-1", { world: () => ports });
  return { fleet, own, canaries };
}

/** Each operation of a key, with what it answers or refuses. */
async function answersFor({ fleet }: World, user: string, apps: readonly string[]): Promise<string[]> {
  const sender = await fleet.as(user);
  const answers: string[] = [];
  for (const operation of operations)
    for (const app of apps) {
      const { service: _none, ...input }: Record<string, unknown> = { ...inputFor(operation, place) };
      const named = { name: app, names: [app], app, apps: [app] };
      const own = Object.fromEntries(Object.entries(named).filter(([member]) => member in input));
      const answer = await sender.ask("web-1", operation, { ...input, ...own } as never, MS).catch((error: unknown) => {
        if (error instanceof SvcmError) return error.body;
        throw error;
      });
      answers.push(`${operation.id} ${app}: ${JSON.stringify(answer)}`);
    }
  return answers;
}

describe.skipIf(!hasNats)("the secrets of a node (needs nats-server)", () => {
  test("no answer, event or presence holds one, and only a reader of logs sees lines", async () => {
    const world = await plantedNode();
    const { fleet, own, canaries } = world;
    const admin = await fleet.as("adam");
    const act = operations.find(({ id }) => id === "process.act") as AnyOperation;
    for (const name of ["orders-dev", "crash-dev"])
      await admin
        .ask("web-1", act, { action: "start", environment: "dev", name, scope: "ecosystem" } as never, MS)
        .catch(() => undefined);
    await expect.poll(async () => (await own.link().list()).map(({ status }) => status)).toEqual(["online", "stopped"]);
    writeFileSync(join(fleet.root("web-1"), "idle.cjs"), "setInterval(() => {}, 1e6);");

    const received: string[] = [];
    for (const name of ["vera", "web-2"]) {
      const connection = await rawConnection(fleet, name);
      connection.subscribe(">", { callback: (error, message) => void received.push(error ? "" : message.string()) });
      await connection.flush();
    }
    const apps = ["orders-dev", "crash-dev", "absent-dev"];
    const seen = new Map<string, string>();
    for (const user of ["vera", "otto", "edda", "adam"]) {
      seen.set(user, (await answersFor(world, user, apps)).join("\n"));
      const everything = [seen.get(user), ...received].join("\n");
      expect(canaries.filter((secret) => everything.includes(secret))).toEqual([]);
    }
    // The search would find what is there: names, a visible value, and lines for those who may read them.
    expect(seen.get("vera")).toContain("ORDERS_PASSWORD");
    expect(seen.get("vera")).toContain("crash-dev");
    expect([...seen].map(([user, text]) => [user, text.includes(LINE)])).toEqual([
      ["vera", false],
      ["otto", true],
      ["edda", true],
      ["adam", true],
    ]);
  });
});
