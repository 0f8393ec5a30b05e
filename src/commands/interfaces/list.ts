import { interfaceFields } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { entriesVerdict, entryColumns, listEntries, type ListedEntry } from "../terminal/entry-flags.ts";
import { fileFlag } from "../terminal/flags.ts";
import { printTable, type Column } from "../terminal/table.ts";

interface Adapter extends ListedEntry {
  readonly number: number;
}

const NUMBER: Column<Adapter> = { heading: "NUMBER", cell: ({ number }) => String(number), side: "right" };

export default class InterfacesList extends SvcmCommand {
  static override summary = "List the interface adapters in deployments.yaml and whether each is valid.";
  static override examples = ["<%= config.bin %> interfaces list", "<%= config.bin %> interfaces list --json"];
  static override flags = { file: fileFlag };

  async run() {
    const { flags } = await this.parse(InterfacesList);
    const entries = await listEntries(this, flags, "interfaces");
    const interfaces = entries.map((listed, index) => ({ number: index + 1, ...listed }));
    const columns = [NUMBER, ...entryColumns(interfaceFields)];
    const verdict = entriesVerdict(interfaces, "interface adapter", `svcm interfaces validate ${flags.file}`);
    printTable(this, columns, interfaces, `${flags.file} has no interface adapters.`, verdict);
    return { file: flags.file, interfaces };
  }
}
