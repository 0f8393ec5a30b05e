import { packagedCapabilityMatrix as matrix } from "../../src/core/project/facts/packaged.generated.ts";
import { codes, page, table } from "./markdown.ts";

export function capabilityMatrixPage(): string {
  return page(
    "Capability matrix",
    "config/capability-matrix.yaml",
    "## Run mode by cloud provider",
    rows(matrix.runModes, "Run mode", { "Cloud providers": ({ cloudProviders }) => codes(cloudProviders) }),
    "## Deploy targets",
    rows(matrix.deployTargets, "Deploy target", {
      Group: ({ group }) => `\`${group}\``,
      "Service types": ({ group }) => codes(matrix.deployTargetGroups[group]?.serviceTypes ?? []),
      Region: ({ regionRequired }) => (regionRequired ? "required" : "optional"),
      "PM2 profile": ({ group }) => (matrix.deployTargetGroups[group]?.pm2Managed ? codes(matrix.pm2Profiles) : "none"),
    }),
    "## Service types",
    rows(matrix.serviceTypes, "Service type", {
      Protocols: ({ protocols }) => codes(protocols),
      "Service kind that PM2 runs": ({ serviceKind }) => (serviceKind === undefined ? "none" : `\`${serviceKind}\``),
    }),
    "## Service kinds",
    rows(matrix.serviceKinds, "Service kind", {
      Ports: ({ ports }) => codes(ports),
      "PM2 app-name suffixes": ({ appSuffixes }) => codes(appSuffixes),
    }),
    "## Interfaces",
    rows(matrix.interfaceTypes, "Interface type", {
      "Served at the port": ({ port }) => (port === undefined ? "" : `\`${port}\``),
      Frameworks: ({ frameworks = [] }) =>
        Array.isArray(frameworks) ? codes(frameworks) : `values of \`${frameworks.key}\``,
    }),
  );
}

function rows<T>(record: Record<string, T>, heading: string, cells: Record<string, (value: T) => string>): string {
  const columns = Object.entries(cells);
  const headings = [heading, ...columns.map(([name]) => name)];
  const lines = Object.entries(record).map(([name, value]) => [
    `\`${name}\``,
    ...columns.map(([, cell]) => cell(value)),
  ]);
  return table(headings, lines);
}
