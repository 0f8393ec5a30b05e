import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { envDiff, type EnvDiffResponse, type Paint } from "../../core/index.ts";
import { envFlags } from "../base.ts";
import { NodeCommand } from "../terminal/node-command.ts";
import { stdoutScreen, withVerdict } from "../terminal/screen.ts";
import { renderTable } from "../terminal/table.ts";
import { pluralize } from "../../core/words/text.ts";

export default class EnvDiff extends NodeCommand {
  static override summary = "Compare the env files of two environments.";
  static override description =
    "Shows the keys that differ, and the keys that only one of the files has. Secrets are compared but never shown.";
  static override examples = [
    "<%= config.bin %> env diff dev production",
    "<%= config.bin %> env diff dev production --all",
    "<%= config.bin %> env diff dev production --exit-code",
  ];
  static override args = {
    from: Args.string({ ignoreStdin: true, required: true, description: "First environment, for example dev." }),
    to: Args.string({
      ignoreStdin: true,
      required: true,
      description: "Second environment, for example staging.",
    }),
  };
  static override flags = {
    all: Flags.boolean({ summary: "Also show keys that are the same.", default: false }),
    service: envFlags.service,
    "exit-code": Flags.boolean({ summary: "Exit 1 if the files differ.", default: false }),
  };

  async run() {
    const { args, flags } = await this.parse(EnvDiff);
    const response = await this.execute(envDiff, { from: args.from, to: args.to, service: flags.service });
    const differing = response.entries.filter(({ state }) => state !== "same");
    if (flags["exit-code"] && differing.length > 0) this.setExitCode(1);
    if (!this.jsonEnabled()) this.log(renderDiff(response, flags.all ? response.entries : differing));
    return response;
  }
}

function renderDiff({ from, to, entries }: EnvDiffResponse, rows: EnvDiffResponse["entries"]): string {
  const same = entries.filter(({ state }) => state === "same").length;
  const states = { same: "same", different: "different", "only-from": `only in ${from}`, "only-to": `only in ${to}` };
  const table = renderTable(
    [
      { heading: "KEY", cell: ({ key }) => key },
      { heading: "STATE", cell: ({ state }) => states[state], colour: stateColour },
      { heading: from.toUpperCase(), cell: (entry) => displayedValue(entry, entry.from), shorten: "middle" },
      { heading: to.toUpperCase(), cell: (entry) => displayedValue(entry, entry.to), shorten: "middle" },
    ],
    rows,
    stdoutScreen(),
  );
  const different = entries.length - same;
  const summary = `${different} of ${pluralize(entries.length, "key")} ${different === 1 ? "differs" : "differ"}.`;
  return withVerdict({ text: summary, tone: different === 0 ? "good" : "attention" }, rows.length === 0 ? "" : table);
}

function stateColour({ state }: EnvDiffResponse["entries"][number], { dim, yellow }: Paint) {
  return state === "same" ? dim : yellow;
}

function displayedValue({ tier }: EnvDiffResponse["entries"][number], value: string | undefined): string {
  if (tier === "never-exposed") return "(hidden)";
  return value === undefined ? "" : value === "" ? "(empty)" : value;
}
