import { execFile, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { plainEnvironment, RUN } from "./command-line.ts";
import { pause } from "./pause.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);
export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

export interface Terminal {
  readonly press: (...keys: string[]) => Promise<void>;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  /** The screen, as soon as it shows this text. */
  readonly shows: (pattern: RegExp) => Promise<string>;
  readonly tmux: (...args: string[]) => Promise<string>;
}

export async function watchTerminal(
  args: string,
  env: Record<string, string> = {},
  size = ["100", "24"],
): Promise<Terminal> {
  const socket = `svcm-${randomUUID()}`;
  const home = temporaryFolder();
  const options = {
    env: plainEnvironment({
      HOME: home,
      PM2_HOME: `${home}/pm2`,
      TERM: "xterm",
      SHELL: "/bin/sh",
      LC_ALL: "C.UTF-8",
      ...env,
    }),
  };
  const tmux = async (...argv: string[]) => (await run("tmux", ["-u", "-L", socket, ...argv], options)).stdout;
  onTestFinished(() => void spawnSync("tmux", ["-L", socket, "kill-server"], options));
  const command = `echo BEFORE; ${process.execPath} ${RUN} metrics watch ${args}; code=$?; stty -a | grep -o ' -*echo '; echo "ENDED $code"; exec cat`;
  const [columns = "", rows = ""] = size;
  await tmux("new-session", "-d", "-x", columns, "-y", rows, "-c", home, command);
  return {
    tmux,
    press: async (...keys) => void (await tmux("send-keys", ...keys)),
    resize: async (width, height) => void (await tmux("resize-window", "-x", `${width}`, "-y", `${height}`)),
    async shows(pattern) {
      for (;;) {
        const screen = await tmux("capture-pane", "-p");
        if (pattern.test(screen)) return screen;
        await pause();
      }
    },
  };
}
