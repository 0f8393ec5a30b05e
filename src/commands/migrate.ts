import * as Flags from "@oclif/core/flags";
import { deploymentsMigrate, type DocumentEditResponse } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { documentFlags } from "./terminal/flags.ts";
import { executeEdit, printEdit } from "./terminal/document-edits.ts";

export default class Migrate extends SvcmCommand {
  static override summary = "Upgrade legacy deploy targets in deployments.yaml to the current format.";
  static override description =
    "Converts entries { name, type, region, runtime } in place and without loss, and adds a version to a document without one. Keeps and reports values that the capability matrix does not know.";
  static override examples = ["<%= config.bin %> migrate --dry-run", "<%= config.bin %> migrate --check"];
  static override flags = {
    check: Flags.boolean({ summary: "Write nothing, and exit 1 if anything would change.", default: false }),
    ...documentFlags,
  };

  async run() {
    const { flags } = await this.parse(Migrate);
    const dryRun = flags["dry-run"] || flags.check;
    const response = await executeEdit(
      this,
      { ...flags, "dry-run": dryRun },
      { operation: deploymentsMigrate, input: {} },
    );
    if (flags.check && response.changed) this.setExitCode(1);
    if (response.changed) printEdit(this, response, migrationText(response));
    else this.log(`Nothing to migrate in ${response.file}.`);
    return response;
  }
}

function migrationText({ file, target, keys }: DocumentEditResponse): string {
  const lines = [
    ...(keys.includes("version") ? [`Added the version to ${file}.`] : []),
    ...(target === "" ? [] : [`Migrated in ${file}: ${target}.`]),
  ];
  return lines.join("\n");
}
