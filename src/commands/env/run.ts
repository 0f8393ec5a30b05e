import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { envProcess } from "../../core/index.ts";
import { pickEnvironment, envFlags, SvcmCommand } from "../base.ts";
import { TerminalFileError, UsageError } from "../terminal/errors.ts";
import { exitLike, runProgram, type ExitStatus } from "../terminal/program.ts";
import { envAppFlag } from "../terminal/flags.ts";

export default class EnvRun extends SvcmCommand {
  static override enableJsonFlag = false;
  static override summary = "Run a command with the variables of a service.";
  static override description =
    "The command gets the variables of this shell. They are overridden first by the layers of the env file, then by the env of the app in the ecosystem file. If the ecosystem file declares several apps, choose one with --app; otherwise only the env file counts. The files are those of this repository, also after svcm deploy: in the folder of a release, they are those of the release. svcm prints nothing itself, passes signals on, and ends as the command does: with its exit code, or by the same signal.";
  static override examples = [
    "<%= config.bin %> env run -- node --version",
    "<%= config.bin %> env run --environment production -- printenv PAGE_SIZE",
    "<%= config.bin %> env run --app api -- printenv PORT",
  ];
  static override args = {
    command: Args.string({ ignoreStdin: true, description: "Program and its arguments, after --.", multiple: true }),
  };
  static override flags = {
    ...envFlags,
    app: envAppFlag,
    "files-only": Flags.boolean({
      summary: "Use only the env file, and do not run the ecosystem file.",
      default: false,
      exclusive: ["app"],
    }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(EnvRun);
    const [command, ...rest] = args.command ?? [];
    if (command === undefined) throw new UsageError("No command to run was given.", "svcm env run -- node server.js");
    const input = { ...pickEnvironment(flags), app: flags.app, filesOnly: flags["files-only"] };
    const { values } = await this.execute(envProcess, input);
    exitLike(await runCommand(command, rest, values));
  }
}

async function runCommand(
  command: string,
  args: readonly string[],
  values: Readonly<Record<string, string>>,
): Promise<ExitStatus> {
  try {
    return await runProgram(command, args, { env: { ...process.env, ...values } });
  } catch (error) {
    const { code = "EUNKNOWN" } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such program in the PATH" : `the system refused it (${code})`;
    throw new TerminalFileError(code, command, `Cannot run ${command}: ${why}.`);
  }
}
