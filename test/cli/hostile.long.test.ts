import { spawn } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { reportFormats } from "../../src/core/api/names.ts";
import { plainEnvironment, REPOSITORY, RUN } from "../support/command-line.ts";
import { hostileDocuments } from "../support/hostile-documents.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { realDocuments, mutant, randomOf } from "../core/yaml/mutate.ts";

const SIZE = 2 ** 20;
/** Relative to the time in which the `yaml` package reads an ordinary document of that size, about half a second. */
const MAX_CPU_RATIO = 4;
const MAX_KIBIBYTES = 768 * 1024;
const USAGE = 3;
const TELL_USAGE = `data:text/javascript,${encodeURIComponent(
  `import { writeSync } from "node:fs"; process.on("exit", () => writeSync(${USAGE}, JSON.stringify(process.resourceUsage())));`,
)}`;

interface Validated {
  readonly code: number | null;
  readonly usage: NodeJS.ResourceUsage;
}

const validate = (root: string, format: readonly string[]): Promise<Validated> =>
  used(root, [RUN, "validate", ...format]);

const READ = 'require("yaml").parseDocument(require("node:fs").readFileSync("deployments.yaml", "utf8"))';
const TARGET = "  - { name: eu, region: eu-west-1, runtime: node22, serviceType: restapi, deployTarget: ec2 }\n";

/** The median of three runs, in seconds of CPU time. */
async function ordinary(): Promise<number> {
  const root = temporaryFolder(afterAll);
  symlinkSync(join(REPOSITORY, "node_modules"), join(root, "node_modules"));
  writeFileSync(join(root, "deployments.yaml"), `deployments:\n${TARGET.repeat(SIZE / TARGET.length)}`);
  const times: number[] = [];
  for (let round = 0; round < 3; round++) times.push(cpuSeconds((await used(root, ["-e", READ])).usage));
  return times.toSorted((a, b) => a - b)[1]!;
}

function cpuSeconds({ userCPUTime, systemCPUTime }: NodeJS.ResourceUsage): number {
  return (userCPUTime + systemCPUTime) / 1e6;
}

function used(root: string, argv: readonly string[]): Promise<Validated> {
  const child = spawn(process.execPath, ["--import", TELL_USAGE, ...argv], {
    cwd: root,
    env: plainEnvironment({ HOME: root }),
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  let reported = "";
  child.stdout?.resume();
  child.stderr?.resume();
  child.stdio[USAGE]?.on("data", (chunk: Buffer) => (reported += String(chunk)));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, usage: JSON.parse(reported) as NodeJS.ResourceUsage }));
  });
}

const formats = [...reportFormats.map((format) => ["--format", format]), ["--json"]];

describe("a hostile document of 1 MiB takes the process bounded time and memory", () => {
  let mostSeconds: number;
  beforeAll(async () => {
    mostSeconds = MAX_CPU_RATIO * (await ordinary());
  });

  test.each(Object.entries(hostileDocuments))("%s", async (_, make) => {
    const root = temporaryFolder();
    writeFileSync(join(root, "deployments.yaml"), make(SIZE));
    for (const format of formats) {
      const { code, usage } = await validate(root, format);
      expect(code, format.join(" ")).toBe(1);
      expect(cpuSeconds(usage), format.join(" ")).toBeLessThan(mostSeconds);
      expect(usage.maxRSS, format.join(" ")).toBeLessThan(MAX_KIBIBYTES);
    }
  });
});

test("bytes of any kind get an answer", async () => {
  const root = temporaryFolder();
  const seed = Date.now() % 2 ** 31;
  const random = randomOf(seed);
  for (let round = 0; round < 200; round++) {
    const bytes = Buffer.from(mutant(realDocuments(), random));
    for (let changes = random(5); changes > 0; changes--) bytes[random(bytes.length)] = random(256);
    writeFileSync(join(root, "deployments.yaml"), bytes);
    const { code } = await validate(root, formats[round % formats.length] ?? []);
    expect([0, 1, 3], `seed ${seed}, round ${round}`).toContain(code);
  }
});
