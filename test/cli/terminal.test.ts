import { spawnSync } from "node:child_process";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { isLinux } from "../support/machine.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

const canHaveTerminal = isLinux && spawnSync("script", ["--version"]).status === 0;
const BOLD = "\u001B[1m";

interface Session {
  readonly status: number | null;
  readonly screen: string;
}

function inTerminal(
  argv: readonly string[],
  columns: number,
  env: Readonly<Record<string, string>> = {},
  input = "",
): Session {
  const { root } = makeWorkspace({ [`${CONFIG_FOLDER}/.env.dev`]: GOOD_ENV });
  const command = [process.execPath, RUN, ...argv].map((word) => `'${word}'`).join(" ");
  const { status, stdout } = spawnSync("script", ["-qec", `stty cols ${columns}; ${command}`, "/dev/null"], {
    cwd: root,
    env: plainEnvironment({ TERM: "xterm", SHELL: "/bin/sh", HOME: temporaryFolder(), ...env }),
    input,
    encoding: "utf8",
  });
  return { status, screen: stdout.replaceAll("\r\n", "\n") };
}

describe.runIf(canHaveTerminal)("in a terminal", () => {
  test("a table fits 40 columns, with every key whole", () => {
    const { status, screen } = inTerminal(["env", "get"], 40);
    const lines = stripVTControlCharacters(screen).split("\n");
    expect(status).toBe(0);
    expect(lines.filter((line) => line.length > 40)).toEqual([]);
    expect(lines.join("").replaceAll(/\s/g, "")).toContain("SVC_HTTP_FRAMEWORK");
  });

  test("headings are bold, but plain with NO_COLOR or on a dumb terminal", () => {
    expect(inTerminal(["env", "get"], 100).screen).toContain(BOLD);
    expect(inTerminal(["env", "get"], 100, { NO_COLOR: "1" }).screen).not.toContain("\u001B[");
    expect(inTerminal(["env", "get"], 100, { TERM: "dumb" }).screen).not.toContain("\u001B[");
  });

  longTest("the root help is the same as oclif's, in a narrow window too", () => {
    for (const columns of [60, 80]) expect(inTerminal(["--help"], columns)).toEqual(inTerminal(["help"], columns));
  });

  longTest("an unknown command offers a similar one, but never in continuous integration", () => {
    const answered = inTerminal(["env", "gte"], 80, {}, "n\n");
    expect(answered.status).toBe(2);
    expect(stripVTControlCharacters(answered.screen)).toContain("Did you mean env get? (Y/n)");
    const session = inTerminal(["env", "gte"], 80, { CI: "true" });
    expect(session.status).toBe(2);
    expect(stripVTControlCharacters(session.screen)).toBe(
      "Error: env gte is not an svcm command. Did you mean env get?\nHint: svcm help lists the commands\nCOMMAND_NOT_FOUND (svcm explain COMMAND_NOT_FOUND)\n",
    );
  });
});
