/** Runs the commands of a page as printed and in order, with the state of one shell. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, isPrinted, type Block, type Command } from "./blocks.ts";

/** Only a command that waits forever reaches this limit. */
const LIMIT_MS = 110_000;

interface Place {
  readonly root: string;
  readonly state: string;
  readonly env: NodeJS.ProcessEnv;
  /** Ports that the page prints, and the ports that replace them. */
  readonly ports: Readonly<Record<string, number>>;
}

/** Returns a message for each command that failed or printed something else. Servers of the page are stopped. */
export async function runPage(page: string, place: Place): Promise<string[]> {
  const lasting: ChildProcess[] = [];
  const failures: string[] = [];
  for (const block of blocksOf(page)) {
    if (block.isLasting) lasting.push(await start(block, place));
    else failures.push(...block.commands.flatMap((command) => run(command, place)));
  }
  for (const child of lasting) {
    child.kill("SIGTERM");
    if (child.exitCode === null) await once(child, "exit");
  }
  return failures;
}

/** Variables and folder are passed from one command to the next. */
function run(command: Command, place: Place): string[] {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", shell(command.text, place)], {
    cwd: folderOf(place),
    env: place.env,
    encoding: "utf8",
    input: "",
    timeout: LIMIT_MS,
  });
  const output = printedPorts(stdout + stderr, place);
  const transcript = `line ${command.line}: ${command.text}\n${output}`;
  if (!command.codes.includes(status ?? -1)) return [`exit ${status}, ${transcript}`];
  const isRight = command.output === undefined || isPrinted(output, command.output);
  return isRight ? [] : [`${transcript}\nThe page prints:\n${command.output}`];
}

function shell(text: string, place: Place): string {
  const state = join(place.state, "variables");
  const known = existsSync(state) ? `. '${state}'\n` : "";
  return `${known}${usedPorts(text, place)}\ncode=$?\nexport -p > '${state}'\npwd > '${state}.cwd'\nexit $code`;
}

async function start({ commands }: Block, place: Place): Promise<ChildProcess> {
  const text = commands.map((command) => command.text).join("\n");
  const child = spawn("bash", ["-c", shell(`exec ${text}`, place)], {
    cwd: folderOf(place),
    env: place.env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit").then(() => Promise.reject(new Error(`${text} ended`)));
  await Promise.race([once(child.stdout, "data"), ended]);
  ended.catch(() => {});
  return child;
}

function folderOf(place: Place): string {
  const file = join(place.state, "variables.cwd");
  if (!existsSync(file)) writeFileSync(file, `${place.root}\n`);
  return readFileSync(file, "utf8").trimEnd();
}

function usedPorts(text: string, { ports }: Place): string {
  return Object.entries(ports).reduce(
    (all, [port, used]) => all.replaceAll(`:${port}`, `:${used}`).replaceAll(`PORT=${port}`, `PORT=${used}`),
    text,
  );
}

function printedPorts(text: string, { ports }: Place): string {
  return Object.entries(ports).reduce((all, [port, used]) => all.replaceAll(`${used}`, port), text);
}
