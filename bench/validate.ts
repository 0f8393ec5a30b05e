/**
 * The CPU time (user and system, including child processes) of a complete validation, for svcm and the tools that a
 * team would use otherwise. Needs a build and bash.
 *
 * node --import tsx bench/validate.ts [rounds]
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { median } from "./median.ts";

const HERE = import.meta.dirname;
const COMPETITORS = join(HERE, "competitors");
const SCHEMA = join(HERE, "../schemas/service-management.v1.schema.json");
const ROUNDS = Number(process.argv[2] ?? 9);
const SIZES = [10, 1000, 10_000, 100_000];
/** For ajv-cli, which stops at the first wrong target and reports no line. */
const GOALS: Readonly<Record<number, number>> = { 1000: 0.35, 10_000: 0.45 };
/** The product refuses files above 4 MiB, so for the largest size only the core is measured. */
const LARGEST_OF_PRODUCT = 10_000;
const LARGEST_OF_SPECTRAL = 10_000;

/** For spectral, which resolves no references, so the file contains the schema itself. */
const RULESET =
  '{"rules":{"suite":{"given":"$","severity":"error","then":{"function":"schema","functionOptions":{"schema":SCHEMA}}}}}';
const KINDS = [
  {
    serviceType: "websocket+restapi",
    deployTarget: "dedicated-server",
    runtimeProtocol: "websocket",
    databaseDriver: "PostgreSQL",
    pm2Profile: "staging",
  },
  {
    serviceType: "grpc+restapi",
    deployTarget: "ec2",
    runtimeProtocol: "grpc",
    databaseDriver: "RDS",
    pm2Profile: "production",
  },
  { serviceType: "functions", deployTarget: "lambda", runtimeProtocol: "http", databaseDriver: "DynamoDB" },
];

interface Contender {
  readonly name: string;
  readonly argv: (folder: string) => readonly string[];
  readonly takes: (size: number) => boolean;
  readonly status?: number;
}

const home = mkdtempSync(join(tmpdir(), "svcm-bench-"));
try {
  installCompetitors();
  const contenders = await prepare();
  for (const size of SIZES) {
    const folder = writeDocuments(size);
    const rounds = size > LARGEST_OF_PRODUCT ? Math.min(ROUNDS, 3) : ROUNDS;
    print(
      size,
      measure(
        contenders.filter(({ takes }) => takes(size)),
        folder,
        rounds,
      ),
    );
  }
} finally {
  rmSync(home, { recursive: true });
}

/** Spectral compiles patterns without the `u` flag, so `\\p{Cc}` would match letters. Such patterns are left out. */
function withoutUnicodeClasses(schema: string): string {
  const isUnicode = (key: string, value: unknown) =>
    key === "pattern" && typeof value === "string" && value.includes(String.raw`\p{`);
  return JSON.stringify(JSON.parse(schema), (key, value: unknown) => (isUnicode(key, value) ? undefined : value));
}

function installCompetitors(): void {
  if (existsSync(join(COMPETITORS, "node_modules"))) return;
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: COMPETITORS, stdio: "ignore" });
}

async function prepare(): Promise<Contender[]> {
  const uncapped = join(home, "uncapped.mjs");
  const bundle = await rolldown({ input: join(HERE, "uncapped.ts"), platform: "node", logLevel: "silent" });
  await bundle.write({ dir: home, entryFileNames: "uncapped.mjs", chunkFileNames: "[name].mjs", minify: true });
  const ruleset = join(home, "ruleset.json");
  writeFileSync(
    ruleset,
    RULESET.replace("SCHEMA", () => withoutUnicodeClasses(readFileSync(SCHEMA, "utf8"))),
  );
  const run = join(HERE, "../bin/run.js");
  const bin = (name: string) => join(COMPETITORS, "node_modules/.bin", name);
  const isProducts = (size: number) => size <= LARGEST_OF_PRODUCT;
  const all = () => true;
  return [
    { name: "svcm targets validate", argv: () => [run, "targets", "validate"], takes: isProducts },
    {
      name: "the same, a fault in the last",
      argv: () => [run, "targets", "validate", "--file", "faulty.yaml"],
      takes: isProducts,
      status: 1,
    },
    { name: "the core of svcm, no cap", argv: (folder) => [uncapped, join(folder, "deployments.yaml")], takes: all },
    {
      name: "ajv-cli",
      argv: () => [bin("ajv"), "validate", "--strict=false", "-s", SCHEMA, "-d", "deployments.yaml"],
      takes: all,
    },
    { name: "js-yaml + zod", argv: () => [join(COMPETITORS, "js-yaml-zod.mjs"), "deployments.yaml"], takes: all },
    {
      name: "spectral",
      argv: () => [bin("spectral"), "lint", "--ignore-unknown-format", "-r", ruleset, "deployments.yaml"],
      takes: (size) => size <= LARGEST_OF_SPECTRAL,
    },
  ];
}

function measure(contenders: readonly Contender[], folder: string, rounds: number): Map<string, number> {
  const times = new Map(contenders.map(({ name }): [string, number[]] => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { name, argv, status = 0 } of contenders) {
      const seconds = cpuSeconds(argv(folder), folder, status);
      if (round > 0) times.get(name)?.push(seconds);
    }
  }
  return new Map([...times].map(([name, values]) => [name, median(values)]));
}

/** In seconds; the `time` of bash includes child processes. */
function cpuSeconds(argv: readonly string[], cwd: string, expected: number): number {
  const script = 'TIMEFORMAT="%3U %3S"; time "$@" >/dev/null 2>&1';
  const env = { PATH: process.env["PATH"], HOME: home };
  const { status, stderr } = spawnSync("bash", ["-c", script, "bash", process.execPath, ...argv], { cwd, env });
  if (status !== expected) throw new Error(`${argv.join(" ")} ended with ${status}`);
  const [user = Number.NaN, system = Number.NaN] = String(stderr).trim().split(" ").map(Number);
  return user + system;
}

function print(size: number, seconds: ReadonlyMap<string, number>): void {
  const ajv = seconds.get("ajv-cli") ?? Number.NaN;
  console.log(`\n${size} targets`);
  for (const [name, cpu] of seconds) {
    const goal = name.startsWith("svcm") ? GOALS[size] : undefined;
    const verdict = goal === undefined ? "" : `  goal ${goal}  ${cpu / ajv <= goal ? "met" : "missed"}`;
    console.log(`  ${name.padEnd(30)} ${cpu.toFixed(3)} s  ${(cpu / ajv).toFixed(2)} of ajv-cli${verdict}`);
  }
}

/** One valid document, and one whose last target has a runtime without a version. */
function writeDocuments(size: number): string {
  const folder = join(home, `${size}`);
  const targets = Array.from({ length: size }, (_, index) => target(index)).join("");
  const text = `version: service-management.v1\n\ndeployments:\n${targets}`;
  mkdirSync(folder);
  writeFileSync(join(folder, "deployments.yaml"), text);
  writeFileSync(join(folder, "faulty.yaml"), text.replace(/runtime: \w+(?=(?:\n {4}.*)*\n$)/, "runtime: latest"));
  return folder;
}

function target(index: number): string {
  const kind = KINDS[index % KINDS.length] ?? {};
  const members = {
    name: `target-${index}`,
    region: "eu-central-1",
    runtime: "node22",
    ...kind,
    keyValueDriver: "redis",
  };
  const lines = Object.entries(members).map(([key, value]) => `${key}: ${value}\n`);
  return `  - ${lines.join("    ")}`;
}
