import { refusal, deploymentsCheck } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { documentFlags } from "../terminal/flags.ts";
import { paint, stdoutScreen } from "../terminal/screen.ts";
import { renderTable } from "../terminal/table.ts";

export default class ConfigShow extends SvcmCommand {
  static override summary = "Show the service configuration in deployments.yaml and whether it is valid.";
  static override examples = ["<%= config.bin %> config show", "<%= config.bin %> config show --json"];
  static override flags = { file: documentFlags.file };

  async run() {
    const { flags } = await this.parse(ConfigShow);
    const { maskedDocument, response } = await this.execute(deploymentsCheck, {
      file: flags.file,
      section: "serviceConfiguration",
    });
    const document = maskedDocument();
    if (document === undefined) throw refusal("SUITE_FILE_FAILED", response.issues);
    const configuration = configurationIn(document);
    if (!this.jsonEnabled()) {
      for (const { message } of response.issues) this.log(paint.red(`Invalid: ${message}`));
      this.log(renderConfiguration(configuration, response.file));
    }
    return { file: response.file, serviceConfiguration: configuration, issues: response.issues };
  }
}

function renderConfiguration(configuration: unknown, file: string): string {
  const rows = configuration === null ? [] : flatten(configuration, "");
  if (rows.length === 0) return `${file} has no service configuration.`;
  return renderTable(
    [
      { heading: "KEY", cell: ([key]) => key },
      { heading: "VALUE", cell: ([, value]) => value, shorten: "middle" },
    ],
    rows,
    stdoutScreen(),
  );
}

function flatten(value: unknown, key: string): [string, string][] {
  if (typeof value !== "object" || value === null)
    return [[key, typeof value === "string" ? value : JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, member]) => flatten(member, key === "" ? name : `${key}.${name}`));
}

function configurationIn(document: unknown): unknown {
  return (document as { readonly serviceConfiguration?: unknown } | null)?.serviceConfiguration ?? null;
}
