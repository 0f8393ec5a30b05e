/**
 * Every operation on a hostile env file of 1 MiB, compared with `dotenv.parse` of an ordinary file of that size. CPU
 * time counts, so that a busy machine does not matter. The goal for each is one second.
 */
import dotenv from "dotenv";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  envCheck,
  envDiff,
  envRead,
  envWrite,
  execute,
  nodePorts,
  profileApply,
  type Caller,
} from "../src/core/index.ts";
import { median } from "./median.ts";

const SIZE = 2 ** 20;
const ROUNDS = 3;
const caller: Caller = { source: "cli", grants: ["read", "write"] };
const filled = (line: (index: number) => string): string => {
  const lines: string[] = [];
  for (let size = 0; size < SIZE; size += lines.at(-1)?.length ?? 0) lines.push(line(lines.length));
  return lines.slice(0, -1).join("");
};
const ordinary = filled((index) => `KEY_${index}=value of the key # note\n`);
const hostile = {
  "one key again and again": filled(() => "SVC_HTTP_FRAMEWORK=express\n"),
  "lines that assign nothing": filled(() => "x\n"),
  "open quotes": filled(() => "A='x\n"),
  "blank lines": filled(() => "\n"),
  "white space": filled(() => "A=\n\n\n \n"),
  "misspelled keys": filled((index) => `SVC_${index.toString(36)}=\n`),
  "many keys": filled((index) => `K${index.toString(36)}=\n`),
  "lone carriage returns": filled(() => "A=1\r"),
  "one long line": `A=x${" ".repeat(SIZE - 10)}\t\n`,
};

async function cpu(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

async function beside(run: () => unknown): Promise<{ own: number; plain: number }> {
  const [plain, own]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    plain.push(await cpu(() => dotenv.parse(ordinary)));
    own.push(await cpu(run));
  }
  return { own: median(own), plain: median(plain) };
}

const root = mkdtempSync(join(tmpdir(), "svcm-bench-env-"));
try {
  const folder = join(root, "apps/backend-template/src/config");
  mkdirSync(folder, { recursive: true });
  const ports = nodePorts({ root, env: {}, cwd: root });
  let isOdd = false;
  const operations: Record<string, () => Promise<unknown>> = {
    get: async () => (await execute(envRead, ports, {}, caller)).response,
    check: () => execute(envCheck, ports, {}, caller),
    set: () => {
      isOdd = !isOdd;
      const values = { SVC_HTTP_FRAMEWORK: isOdd ? "fastify" : "restify", SVC_REALTIME_API: "yes" };
      return execute(envWrite, ports, { values, foreignKeys: "refuse" }, caller).catch(() => undefined);
    },
    diff: () => execute(envDiff, ports, { from: "dev", to: "ci" }, caller),
    "profile apply": () =>
      execute(profileApply, ports, { profile: "grpc-rest", values: {}, dryRun: true }, caller).catch(() => undefined),
  };
  for (const [name, text] of Object.entries(hostile)) {
    writeFileSync(join(folder, ".env.dev"), text);
    writeFileSync(join(folder, ".env.ci"), text.slice(1));
    for (const [operation, run] of Object.entries(operations)) {
      const { own, plain } = await beside(run);
      const verdict = own <= 1000 ? "" : "  MORE THAN A SECOND";
      const ratio = `${(own / plain).toFixed(1).padStart(6)} times dotenv`;
      console.log(`${name.padEnd(26)} ${operation.padEnd(14)} ${ratio}, ${Math.round(own)} ms${verdict}`);
    }
  }
} finally {
  rmSync(root, { recursive: true });
}
