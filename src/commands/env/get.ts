import { envRead } from "../../core/index.ts";
import { environmentFlag, SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { stdoutScreen } from "../terminal/screen.ts";
import { renderTable } from "../terminal/table.ts";

export default class EnvGet extends SvcmCommand {
  static override summary = "Show the visible keys of an environment's env file.";
  static override description =
    "Without a KEY every editable and read-only key is shown, an unset editable one with its default. One KEY prints its bare value, for scripts. Secrets are never shown.";
  static override examples = [
    "<%= config.bin %> env get --environment staging",
    "<%= config.bin %> env get SVC_HTTP_FRAMEWORK",
    "<%= config.bin %> env get --json",
  ];
  static override usage = "env get [KEY...] [--environment <name>] [--root <dir>] [--json]";
  static override strict = false;
  static override flags = { environment: environmentFlag };

  async run() {
    const { flags, argv } = await this.parse(EnvGet);
    const keys = argv.map(String);
    const { response } = await ask(envRead, flags, {
      environment: flags.environment,
      keys: keys.length > 0 ? keys : undefined,
    });
    if (this.jsonEnabled()) return response;
    const editable = new Set(response.editableKeys);
    const rows = Object.entries(response.values);
    if (keys.length === 1) this.log(rows[0]?.[1]);
    else
      this.log(
        await renderTable(
          [
            { heading: "KEY", cell: ([key]) => key },
            { heading: "VALUE", cell: ([, value]) => value },
            { heading: "TIER", cell: ([key]) => (editable.has(key) ? "editable" : "read-only") },
          ],
          rows,
          stdoutScreen(),
        ),
      );
    return response;
  }
}
