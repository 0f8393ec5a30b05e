/** Commands in a separate terminal. */
import { spawn, spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { onTestFinished } from "vitest";
import { plainEnvironment, RUN } from "./command-line.ts";
import { isLinux } from "./machine.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import type { TestWorkspace } from "./workspace.ts";

export const canHaveTerminal = isLinux && spawnSync("script", ["--version"]).status === 0;

interface Session {
  readonly status: number | null;
  readonly screen: string;
}

/** Waits until a text is shown, then types. Earlier input would be handled by the terminal instead of the program. */
type Talk = readonly (readonly [shows: string, types: string])[];

export async function inTerminal(
  { root }: Pick<TestWorkspace, "root">,
  argv: readonly string[],
  talk: Talk = [],
  env = {},
): Promise<Session> {
  const command = [process.execPath, RUN, ...argv].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", `stty cols 200; exec ${command}`, "/dev/null"], {
    cwd: root,
    env: plainEnvironment({ TERM: "xterm", SHELL: "/bin/sh", HOME: temporaryFolder(), NO_COLOR: "1", ...env }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => undefined); // the program may be gone
  const chunks: Buffer[] = [];
  let screen = "";
  let seen = 0;
  const rest = [...talk];
  child.stdout.on("data", (chunk: Buffer) => {
    // A sequence of bytes may be split between two chunks.
    chunks.push(chunk);
    screen = stripVTControlCharacters(Buffer.concat(chunks).toString("utf8")).replaceAll("\r\n", "\n");
    const [shows, types] = rest[0] ?? ["", ""];
    const at = screen.indexOf(shows, seen);
    if (shows === "" || at === -1) return;
    seen = at + shows.length;
    rest.shift();
    child.stdin.write(types);
  });
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  return { status, screen };
}
