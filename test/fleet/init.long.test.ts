/** A fleet of machines, three of them in five commands, with a real NATS server and real agents. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { freePort } from "../support/free-port.ts";
import { hasNats, NATS_SERVER } from "../support/nats-server.ts";
import { sampleOrAll } from "../support/runs.ts";
import { svcm } from "../support/svcm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { GOOD_ENV } from "../support/workspace.ts";

/** Starts what the unit says, as systemd does, and records its process for the end of the test. */
const SYSTEMCTL = `#!/bin/bash
unit="\${!#}"
[ -f "$unit" ] || exit 5
set -a
file=$(sed -n 's/^EnvironmentFile=//p' "$unit"); [ -z "$file" ] || . "$file"
cd "$(sed -n 's/^WorkingDirectory=//p' "$unit")" 2>/dev/null
eval "exec $(sed -n 's/^ExecStart=//p' "$unit")" >/dev/null 2>&1 &
echo $! >> "$STARTED"
`;

test.skipIf(!hasNats)("machines are a fleet after two commands and one for each (needs nats-server)", async () => {
  const folder = temporaryFolder();
  const [bin, started] = [join(folder, "bin"), join(folder, "started")];
  mkdirSync(bin);
  writeFileSync(started, "");
  writeFileSync(join(bin, "systemctl"), SYSTEMCTL, { mode: 0o755 });
  writeFileSync(join(bin, "nats-server"), `#!/bin/sh\nexec ${NATS_SERVER} "$@"\n`, { mode: 0o755 });
  onTestFinished(async () => {
    const pids = readFileSync(started, "utf8").split("\n").filter(Boolean).map(Number);
    for (const pid of pids.toReversed()) process.kill(pid, "SIGKILL");
    await expect.poll(() => pids.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
  });
  const machines = sampleOrAll(["one", "two", "three"], ["one", "two"]).map((name) => join(folder, name));
  const [first = ""] = machines;
  mkdirSync(first);
  writeFileSync(join(first, "svcm.yaml"), "version: 1 # ours\nenvironments:\n  dev: []\nenv:\n  dev: .env.dev\n");
  writeFileSync(join(first, ".env.dev"), GOOD_ENV);
  const run = async (root: string, args: readonly string[], input = "", more: Record<string, string> = {}) => {
    const env = { PM2_HOME: join(root, ".pm2"), STARTED: started, PATH: `${bin}:${process.env["PATH"]}`, ...more };
    if (input === "") {
      const { code, stdout, stderr } = await svcm(args, { root, env });
      return { code, output: stdout + stderr };
    }
    // A program has a standard input.
    const child = spawn(process.execPath, [RUN, ...args], { cwd: root, env: plainEnvironment({ HOME: root, ...env }) });
    child.stdin.end(input);
    const chunks: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => chunks.push(String(chunk)));
    const [code] = (await once(child, "close")) as [number];
    return { code, output: chunks.join("") };
  };
  const url = `tls://127.0.0.1:${await freePort()}`;
  const nodes = machines.map((_, at) => `web-${at + 1}`);
  const init = await run(first, [
    "nats",
    "init",
    "--url",
    url,
    "--user",
    "ann",
    ...nodes.flatMap((node) => ["--node", node]),
    "--start",
  ]);
  expect([init.code, init.output]).toEqual([0, expect.stringContaining("The NATS server runs and is set up.")]);
  const made = join(first, ".svcm/nats");
  for (const name of readdirSync(made).filter((one) => one !== "store" && one !== "server.pem"))
    expect([name, statSync(join(made, name)).mode & 0o077]).toEqual([name, 0]);
  expect(init.output).not.toMatch(/SU[A-Z2-7]{56}/);
  expect(readFileSync(join(first, "svcm.yaml"), "utf8")).toMatch(/^version: 1 # ours\n/);

  for (const root of machines.slice(1)) {
    mkdirSync(root);
    for (const name of ["svcm.yaml", ".env.dev"]) cpSync(join(first, name), join(root, name));
  }
  for (const [at, root] of machines.entries()) {
    const joined = await run(root, ["nats", "join", "--start"], readFileSync(join(made, `${nodes[at]}.join`), "utf8"));
    expect([joined.code, joined.output]).toEqual([0, expect.stringContaining("and its agent runs.")]);
    expect(joined.output).not.toMatch(/SU[A-Z2-7]{56}/);
  }
  const variables = Object.fromEntries(
    Array.from(init.output.matchAll(/^export (\w+)=(.*)$/gm), ([, name, value]) => [name!, value!]),
  );
  const states = async () =>
    (await run(first, ["nodes", "list", "--json"], "", variables)).output.match(/"state": "\w+"/g);
  await expect.poll(states, { timeout: 30_000 }).toEqual(nodes.map(() => '"state": "online"'));
  const check = await run(first, ["nats", "check"], "", variables);
  expect([check.code, check.output]).toEqual([0, expect.stringMatching(/^The NATS server 2\.\S+ is new enough/)]);

  // A new user, and the server reloads as its unit says.
  const key = (await run(first, ["nats", "key", "bob.nk"])).output.split("\n").find((line) => line.startsWith("U"));
  const declared = readFileSync(join(first, "svcm.yaml"), "utf8");
  const bob = `  users:\n    bob:\n      role: viewer\n      nkey: ${key}\n`;
  writeFileSync(join(first, "svcm.yaml"), declared.replace("  users:\n", bob));
  writeFileSync(join(made, "svcm.conf"), (await run(first, ["nats", "config"])).output);
  const [serverPid = ""] = readFileSync(started, "utf8").split("\n");
  const unit = readFileSync(join(made, "svcm-nats.service"), "utf8");
  for (const [, reload = ""] of unit.matchAll(/^ExecReload=(.+)$/gm))
    execFileSync("sh", ["-c", reload], { env: { MAINPID: serverPid } });
  const asBob = { ...variables, SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS: join(first, "bob.nk") };
  await expect
    .poll(async () => (await run(first, ["nodes", "list", "--json"], "", asBob)).output.match(/"state": "\w+"/g))
    .toEqual(nodes.map((_, at) => (at === 0 ? '"state": "online"' : '"state": "refused"')));
  expect((await run(first, ["nodes", "list"], "", asBob)).output).toContain(
    'web-2 is refused: The svcm.yaml of the node names no user "bob" under nats.users.',
  );

  const again = await svcm(["nats", "init", "--url", url, "--user", "ann"], { root: first });
  expect([again.code, again.stdout + again.stderr]).toEqual([1, expect.stringContaining("declares nats already")]);
  const other = await run(first, ["nats", "join"], '{"node":"web-1"}');
  expect([other.code, other.output]).toEqual([2, expect.stringContaining("not one with which a node joins")]);
});
