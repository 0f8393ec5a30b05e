import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { envUnset, type EnvUnsetResponse } from "../../core/index.ts";
import { pickEnvironment, envFlags, SvcmCommand } from "../base.ts";
import { finishWrite, renderDryRun, renderRemoval, restartFlag } from "../terminal/changes.ts";
import { UsageError } from "../terminal/errors.ts";

export default class EnvUnset extends SvcmCommand {
  static override summary = "Remove editable keys from an env file.";
  static override description =
    "Removes the lines of the keys from the layer that holds them, and shows the value that then applies: that of another layer, or the default. Refuses to remove a required key. The write is atomic and recorded in the audit log.";
  static override examples = [
    "<%= config.bin %> env unset PAGE_SIZE",
    "<%= config.bin %> env unset PAGE_SIZE --environment production --dry-run",
  ];
  static override args = {
    key: Args.string({ ignoreStdin: true, description: "Editable key to remove.", multiple: true }),
  };
  static override flags = {
    ...envFlags,
    "dry-run": Flags.boolean({
      summary: "Show the lines that would be removed, and write nothing.",
      default: false,
      exclusive: ["restart"],
    }),
    restart: restartFlag,
  };

  async run(): Promise<EnvUnsetResponse> {
    const { args, flags } = await this.parse(EnvUnset);
    const keys = args.key ?? [];
    if (keys.length === 0)
      throw new UsageError("Nothing to remove: no KEY was given.", "svcm env unset SVC_WEBSOCKET_REDIS_URL");
    const response = await this.execute(envUnset, { ...pickEnvironment(flags), keys, dryRun: flags["dry-run"] });
    this.log("dryRun" in response ? renderDryRun(response) : renderRemoval(response));
    if ("dryRun" in response) return response;
    await finishWrite(this, response, { place: pickEnvironment(flags), restart: flags.restart });
    return response;
  }
}
