import { targetFields } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { printTable } from "../terminal/table.ts";
import { entriesVerdict, entryColumns, listEntries } from "../terminal/entry-flags.ts";
import { fileFlag } from "../terminal/flags.ts";

export default class TargetsList extends SvcmCommand {
  static override summary = "List the deploy targets in deployments.yaml and whether each is valid.";
  static override examples = ["<%= config.bin %> targets list", "<%= config.bin %> targets list --json"];
  static override flags = { file: fileFlag };

  async run() {
    const { flags } = await this.parse(TargetsList);
    const deployments = await listEntries(this, flags, "deployments");
    const verdict = entriesVerdict(deployments, "deploy target", `svcm targets validate ${flags.file}`);
    printTable(this, entryColumns(targetFields), deployments, `${flags.file} has no deploy targets.`, verdict);
    return { file: flags.file, deployments };
  }
}
