import { contractShow, type ContractResponse } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { ask } from "../terminal/ask.ts";
import { stdoutScreen, type Screen } from "../terminal/screen.ts";
import { renderTable, type Column } from "../terminal/table.ts";

type Matrix = ContractResponse["capabilityMatrix"];

export default class MatrixShow extends SvcmCommand {
  static override summary = "Show the capability matrix: what can run where.";
  static override description =
    "The one source that every validator reads: this repository's config/capability-matrix.yaml, else the packaged one.";
  static override examples = ["<%= config.bin %> matrix show", "<%= config.bin %> matrix show --json"];

  async run() {
    const { flags } = await this.parse(MatrixShow);
    const { capabilityMatrix } = await ask(contractShow, flags, {});
    if (!this.jsonEnabled()) this.log((await tablesOf(capabilityMatrix, stdoutScreen())).join("\n\n"));
    return capabilityMatrix;
  }
}

function tablesOf(matrix: Matrix, screen: Screen): Promise<string[]> {
  const groupOf = (target: { group: string }) => matrix.deployTargetGroups[target.group];
  return Promise.all([
    table(screen, matrix.runModes, "RUN MODE", { "CLOUD PROVIDERS": ({ cloudProviders }) => cloudProviders }),
    table(screen, matrix.deployTargets, "DEPLOY TARGET", {
      GROUP: ({ group }) => [group],
      "SERVICE TYPES": (target) => groupOf(target)?.serviceTypes ?? [],
      REGION: ({ regionRequired }) => [regionRequired ? "required" : "optional"],
      "PM2 PROFILES": (target) => (groupOf(target)?.pm2Managed ? matrix.pm2Profiles : ["none"]),
    }),
    table(screen, matrix.serviceTypes, "SERVICE TYPE", {
      PROTOCOLS: ({ protocols }) => protocols,
      "SERVICE KIND": ({ serviceKind }) => [serviceKind ?? "none"],
    }),
    table(screen, matrix.serviceKinds, "SERVICE KIND", {
      PORTS: ({ ports }) => ports,
      "PM2 APP SUFFIXES": ({ appSuffixes }) => appSuffixes,
    }),
    table(screen, matrix.interfaceTypes, "INTERFACE", {
      PORT: ({ port }) => [port ?? ""],
      FRAMEWORKS: ({ frameworks }) => (Array.isArray(frameworks) ? frameworks : [`values of ${frameworks.key}`]),
    }),
  ]);
}

function table<T>(
  screen: Screen,
  record: Record<string, T>,
  heading: string,
  cells: Record<string, (value: T) => readonly string[]>,
): Promise<string> {
  const columns = Object.entries(cells).map(([name, cell]): Column<[string, T]> => ({
    heading: name,
    cell: ([, value]) => cell(value).join(", "),
  }));
  return renderTable([{ heading, cell: ([name]) => name }, ...columns], Object.entries(record), screen);
}
