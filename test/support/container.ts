/** A container without a container engine: the steps of a Dockerfile, in namespaces of this machine. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("machine-scripts/container.sh", import.meta.url));
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

interface Instruction {
  readonly word: string;
  readonly rest: string;
}

interface Container {
  /** Everything that the first process and its children wrote: what `docker logs` shows. */
  output(): string;
  /** Runs a command as `docker exec` does: with the user, the folder and the variables of the Dockerfile. */
  exec(command: string): Promise<{ readonly code: number; readonly out: string }>;
  /** Sends SIGTERM to the first process, as `docker stop` does, and returns its exit code. */
  stop(): Promise<number | null>;
  /** Ends what is left, and removes the folders. */
  end(): Promise<void>;
}

export function readDockerfile(text: string): Instruction[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.startsWith("#"));
  return lines.map((line) => {
    const [, word = "", rest = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return { word, rest };
  });
}

/** The folder, the variables and the user that the instructions leave. */
function stateOf(instructions: readonly Instruction[]): { folder: string; env: string[]; user: string } {
  const last = (wanted: string, otherwise: string): string =>
    instructions.findLast(({ word }) => word === wanted)?.rest ?? otherwise;
  const variables = instructions.filter(({ word }) => word === "ENV").flatMap(({ rest }) => rest.split(" "));
  const user = last("USER", "root");
  const home = user === "root" ? "/root" : `/home/${user}`;
  return { folder: last("WORKDIR", "/"), env: [`PATH=${PATH}`, `HOME=${home}`, ...variables], user };
}

const asUser = ({ env, user }: ReturnType<typeof stateOf>): string[] => [
  "env",
  "-i",
  ...env,
  "setpriv",
  `--reuid=${user}`,
  `--regid=${user}`,
  "--init-groups",
];

const STEP: Readonly<Record<string, (rest: string, all: readonly Instruction[]) => string>> = {
  FROM: () => ":",
  WORKDIR: (rest) => `mkdir -p ${rest}; cd ${rest}`,
  ENV: (rest) => `export ${rest}`,
  COPY: (rest) => {
    const words = rest.split(" ");
    const sources = words.slice(0, -1).map((one) => (one === "." ? "$(ls -A /context)" : one));
    const ignored = "--anchored --exclude-from=/context/.dockerignore";
    return `tar -c -C /context ${ignored} ${sources.join(" ")} | tar -x --no-same-owner -C ${words.at(-1)}`;
  },
  RUN: (rest) => `sh -c '${rest}'`,
  USER: () => ":",
  CMD: (rest, all) => {
    const words = [...asUser(stateOf(all)), ...(JSON.parse(rest) as string[])];
    return `exec ${words.map((word) => `'${word}'`).join(" ")}`;
  },
};

/** @param place the program of Node.js, and the folder that COPY reads */
export async function startContainer(
  instructions: readonly Instruction[],
  place: { readonly node: string; readonly context: string },
  limits: { readonly bytes: number; readonly cores: number },
): Promise<Container> {
  const folder = mkdtempSync(join(tmpdir(), "svcm-container-"));
  const group = basename(folder);
  const groups = limitedGroups(group, limits);
  const steps = instructions.map(({ word, rest }) => STEP[word]!(rest, instructions));
  writeFileSync(join(folder, "steps"), steps.join("\n"));
  mkdirSync(join(folder, "disk"));
  const enter = groups.map((path) => `echo $$ > ${path}/cgroup.procs`).join("; ");
  const words = ["--mount", "--propagation", "private", "--pid", "--fork", "--kill-child=SIGKILL", "--uts", "--ipc"];
  const files = [join(folder, "disk"), place.node, place.context, join(folder, "steps"), group];
  const outer = spawn("sh", ["-c", `${enter}; exec "$@"`, "sh", "unshare", ...words, "sh", SCRIPT, ...files], {
    env: {
      PATH,
      HOME: process.env["HOME"],
      NODE_EXTRA_CA_CERTS: process.env["NODE_EXTRA_CA_CERTS"],
      npm_config_prefer_offline: "true",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [outer.stdout, outer.stderr]) stream.on("data", (part) => (output += String(part)));
  const ended = new Promise<number | null>((resolve) => outer.once("close", resolve));
  return {
    output: () => output,
    exec: (command) => execIn(outer, instructions, command),
    async stop() {
      process.kill(firstProcess(outer), "SIGTERM");
      return await ended;
    },
    async end() {
      // The end of `unshare` would not end it: it has another user.
      if (outer.exitCode === null) process.kill(firstProcess(outer), "SIGKILL");
      await ended;
      for (const path of groups) rmdirSync(path);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Creates the group with its limits, in version 1 or 2 of control groups. Returns its folders. */
function limitedGroups(name: string, { bytes, cores }: { bytes: number; cores: number }): string[] {
  const quota = cores * 100_000;
  const files: readonly (readonly [controller: string, file: string, value: string])[] = [
    ["memory", "memory.limit_in_bytes", `${bytes}`],
    ["cpu", "cpu.cfs_quota_us", `${quota}`],
    ["cpuacct", "cpuacct.usage", "0"],
    [".", "memory.max", `${bytes}`],
    [".", "cpu.max", `${quota} 100000`],
  ];
  const made = new Set<string>();
  for (const [controller, file, value] of files) {
    const parent = join("/sys/fs/cgroup", controller);
    if (!existsSync(join(parent, "cgroup.procs"))) continue;
    mkdirSync(join(parent, name), { recursive: true });
    made.add(join(parent, name));
    writeFileSync(join(parent, name, file), value);
  }
  return [...made];
}

function firstProcess({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ")[0]);
}

function execIn(outer: ChildProcess, instructions: readonly Instruction[], command: string) {
  const state = stateOf(instructions);
  const inside = [...asUser(state), "sh", "-c", `cd ${state.folder}; ${command}`];
  const words = ["-t", String(firstProcess(outer)), "-m", "-u", "-i", "-p", "--", ...inside];
  return new Promise<{ code: number; out: string }>((resolve) => {
    execFile("nsenter", words, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : -1;
      resolve({ code, out: `${stdout}${stderr}` });
    });
  });
}
