/** `svcm/startup` as built, called in a separate program, and `svcm startup check` in the same folder. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { Issue } from "../../src/core/api/issue.ts";
import type { StartupDecision } from "../../src/core/startup/contract.ts";
import type { StartupOptions } from "../../src/core/startup/index.ts";
import type { EnvValues } from "../../src/core/startup/read.ts";
import { plainEnvironment, REPOSITORY, svcm } from "./command-line.ts";

const LIB = join(REPOSITORY, "dist/lib");

interface Question {
  readonly decision: StartupDecision;
  /** The names of required files. */
  readonly loaded: readonly string[];
}

/** Calls the library in a process whose working directory is `cwd`. */
export function ask(
  cwd: string,
  values: EnvValues,
  options: StartupOptions = {},
  entrypoint = "rest",
  format = "cjs",
): Question {
  const program = `
    const { createRequire } = await import("node:module");
    const require = createRequire(${JSON.stringify(`${LIB}/`)});
    const { checkStartup } = ${format === "cjs" ? 'require("./cjs/startup.js")' : `await import(${JSON.stringify(`${LIB}/esm/startup.js`)})`};
    const decision = checkStartup(...${JSON.stringify([entrypoint, values, options])});
    const loaded = Object.keys(require.cache).map((path) => path.split("/dist/")[1]);
    console.log(JSON.stringify({ decision, loaded }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    cwd,
    env: plainEnvironment(),
    encoding: "utf8",
  });
  if (stderr !== "") throw new Error(stderr);
  return JSON.parse(stdout) as Question;
}

interface Answer {
  readonly mayStart: boolean;
  readonly issues: readonly Issue[];
  readonly code?: string;
}

export function startupCheck(root: string, ...args: string[]): { status: number | null; answer: Answer } {
  const { status, stdout } = svcm(["startup", "check", ...args, "--json"], { cwd: root });
  return { status, answer: JSON.parse(stdout) as Answer };
}
