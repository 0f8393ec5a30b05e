import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { HELP_COLUMNS, HELP_FILES, version, VERSION_MARK } from "../../src/cli/early-answer.ts";

/** Lets svcm print the root help without loading oclif. The version includes the platform, so it is a placeholder. */
export function writeRootHelp(dist: string): void {
  writeFileSync(join(dist, HELP_FILES.plain), render(dist, { NO_COLOR: "1" }));
  writeFileSync(join(dist, HELP_FILES.coloured), render(dist, { FORCE_COLOR: "1" }));
}

function render(dist: string, colours: NodeJS.ProcessEnv): string {
  const env = { PATH: process.env["PATH"], HOME: dist, OCLIF_COLUMNS: String(HELP_COLUMNS), ...colours };
  const help = execFileSync(process.execPath, [join(dist, "launch.cjs"), "help"], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return help.replace(version(), VERSION_MARK);
}
