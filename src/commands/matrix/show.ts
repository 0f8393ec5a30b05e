import { contractShow, type ContractResponse } from "../../core/index.ts";
import { SvcmCommand } from "../base.ts";
import { stdoutScreen, type Screen } from "../terminal/screen.ts";
import { renderTable, type Column } from "../terminal/table.ts";

export default class MatrixShow extends SvcmCommand {
  static override summary = "Show the capability matrix: what can run where.";
  static override description =
    "Shows run modes, deploy targets, service types, service kinds with their ports, and interface types with their frameworks. All validation uses this matrix. It comes from config/capability-matrix.yaml, or from svcm if the repository does not have that file.";
  static override examples = ["<%= config.bin %> matrix show", "<%= config.bin %> matrix show --json"];

  async run() {
    await this.parse(MatrixShow);
    const { capabilityMatrix } = await this.execute(contractShow, {});
    if (!this.jsonEnabled()) this.log(renderMatrix(capabilityMatrix, stdoutScreen()).join("\n\n"));
    return capabilityMatrix;
  }
}

function renderMatrix(matrix: ContractResponse["capabilityMatrix"], screen: Screen): string[] {
  const groupOf = (target: { group: string }) => matrix.deployTargetGroups[target.group];
  return [
    renderSection(screen, matrix.runModes, "RUN MODE", { "CLOUD PROVIDERS": ({ cloudProviders }) => cloudProviders }),
    renderSection(screen, matrix.deployTargets, "DEPLOY TARGET", {
      GROUP: ({ group }) => [group],
      "SERVICE TYPES": (target) => groupOf(target)?.serviceTypes ?? [],
      REGION: ({ regionRequired }) => [regionRequired ? "required" : "optional"],
      "PM2 PROFILES": (target) => (groupOf(target)?.pm2Managed ? matrix.pm2Profiles : ["none"]),
    }),
    renderSection(screen, matrix.serviceTypes, "SERVICE TYPE", {
      PROTOCOLS: ({ protocols }) => protocols,
      "SERVICE KIND": ({ serviceKind }) => [serviceKind ?? "none"],
    }),
    renderSection(screen, matrix.serviceKinds, "SERVICE KIND", {
      PORTS: ({ ports }) => ports,
      "PM2 APP SUFFIXES": ({ appSuffixes }) => appSuffixes,
    }),
    renderSection(screen, matrix.interfaceTypes, "INTERFACE", {
      PORT: ({ port }) => [port ?? ""],
      FRAMEWORKS: ({ frameworks = [] }) => ("key" in frameworks ? [`values of ${frameworks.key}`] : frameworks),
    }),
  ];
}

function renderSection<T>(
  screen: Screen,
  record: Record<string, T>,
  heading: string,
  cells: Record<string, (value: T) => readonly string[]>,
): string {
  const columns = Object.entries(cells).map(([name, cell]): Column<[string, T]> => ({
    heading: name,
    cell: ([, value]) => cell(value).join(", "),
    shorten: "fold",
  }));
  return renderTable([{ heading, cell: ([name]) => name }, ...columns], Object.entries(record), screen);
}
