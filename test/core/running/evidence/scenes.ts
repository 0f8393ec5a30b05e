/** An app in a real folder, with a real process that was started there. */
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { nodeRunningCode } from "../../../../src/core/running/evidence/index.ts";
import type { AppCode, CodeProcess, CodeRequest } from "../../../../src/core/running/port-running-code.ts";
import { plainEnvironment } from "../../../support/command-line.ts";
import { makeRepository, type TestRepository } from "../../../support/git.ts";
import { pause } from "../../../support/pause.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";

/** The time of a file may be this much older than the clock, and starts are compared with this distance. */
const CLEAR_MS = 60;

export const FILES = {
  "package.json": '{"name":"shop"}',
  "package-lock.json": "{}",
  ".gitignore": "node_modules\ndist\nuploads\n*.log\n",
  "server.js": 'require("./lib/mod.js")',
  "lib/mod.js": "1",
  "db.json": "{}",
  "README.md": "shop",
  "logs/old.log": "",
  "uploads/old.bin": "",
  "dist/main.js": "1",
  "node_modules/.package-lock.json": "{}",
  "node_modules/left-pad/index.js": "1",
};

export interface Scene {
  readonly root: string;
  readonly repository: TestRepository | undefined;
  /** Starts a process that ends with the test. */
  start(more?: Partial<CodeRequest>): Promise<CodeRequest>;
  look(request: CodeRequest, budgetMs?: number): Promise<AppCode>;
  verdict(request: CodeRequest, budgetMs?: number): Promise<string>;
  /** Relative to the root. */
  uncommitted(request: CodeRequest, commit?: string): Promise<string[]>;
  /** Git's log has the resolution of a second, so what happened after the start is dated some seconds later. */
  moveHeadLater(): void;
  readonly home: string;
}

export function makeScene(hasGit: boolean, files: Readonly<Record<string, string>> = FILES): Scene {
  const repository = hasGit ? makeRepository(files) : undefined;
  const root = repository?.root ?? temporaryFolder();
  if (repository === undefined) write(root, files);
  const home = temporaryFolder();
  const code = nodeRunningCode({ root, env: plainEnvironment(), pm2Home: home });
  const look = async (request: CodeRequest, budgetMs = 10_000): Promise<AppCode> =>
    (await code.inspect([request], { budgetMs }))[0]!;
  let dated = 0;
  return {
    root,
    repository,
    home,
    look,
    async start(more = {}) {
      const cwd = more.cwd ?? root;
      await untilClear();
      dated = dateMoves(root, 0, -3600);
      const process = startProcess(cwd);
      const script = more.script ?? join(cwd, "server.js");
      const nothing = { include: [], exclude: [], others: [], folder: undefined };
      return { app: "shop", ...nothing, ...more, cwd, script, processes: [process] };
    },
    moveHeadLater: () => void dateMoves(root, dated, 5),
    uncommitted: async (request, commit) =>
      (await code.listUncommitted([request], commit)).paths.map((path) => relative(root, path)),
    verdict: async (request, budgetMs) => textOf(await look(request, budgetMs)),
  };
}

export function textOf({ verdicts }: AppCode): string {
  const [verdict] = verdicts.values();
  if (verdict?.verdict === "changed") return `changed ${verdict.reasons[0].state}: ${verdict.reasons[0].details}`;
  return verdict?.verdict === "unknown" ? `unknown: ${verdict.reason}` : String(verdict?.verdict);
}

export function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** @returns the number of moves */
function dateMoves(root: string, from: number, seconds: number): number {
  const path = join(root, ".git/logs/HEAD");
  if (!existsSync(path)) return 0;
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const dated = lines.map((line, at) =>
    at < from ? line : line.replace(/> (\d+) /, (_, time: string) => `> ${Number(time) + seconds} `),
  );
  writeFileSync(path, `${dated.join("\n")}\n`);
  return lines.length;
}

function startProcess(cwd: string): CodeProcess {
  const startedAt = Date.now();
  const child = spawn("sleep", ["1000000"], { cwd, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { pmId: 0, pid: child.pid ?? 0, startedAt, versioning: null };
}

/** Until a new file is clearly newer than all that exist. */
export async function untilClear(): Promise<void> {
  const path = join(temporaryFolder(), "now");
  writeFileSync(path, "");
  const { ctimeMs } = lstatSync(path);
  while (Date.now() < ctimeMs + CLEAR_MS) await pause();
}

/** As `tar`, `rsync -a` and `cp -p` do: new content, with an old time. */
export function writeWithOldTime(root: string, path: string, text: string): void {
  writeFileSync(join(root, `${path}.new`), text);
  utimesSync(join(root, `${path}.new`), 1e9, 1e9);
  renameSync(join(root, `${path}.new`), join(root, path));
}

export const changes = {
  chmod: (root: string) => chmodSync(join(root, "lib/mod.js"), 0o600),
  touch: (root: string) => utimesSync(join(root, "lib/mod.js"), new Date(), new Date()),
  remove: (root: string) => rmSync(join(root, "lib/extra.js")),
  exchange: (root: string, folder: string) => {
    renameSync(join(root, folder), join(root, `${folder}.old`));
    renameSync(join(root, `${folder}.next`), join(root, folder));
    rmSync(join(root, `${folder}.old`), { recursive: true });
  },
} as const;
