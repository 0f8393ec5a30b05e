import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../../../src/core/project/facts/packaged.generated.ts";
import { entryIssues, serviceConfigurationIssues } from "../../../src/core/deployments/validate.ts";

/** An independent check: this test reads the YAML file itself. */
const yaml = parse(readFileSync(new URL("../../../config/capability-matrix.yaml", import.meta.url), "utf8")) as {
  runModes: Record<string, { cloudProviders: string[] }>;
  serviceTypes: Record<string, { protocols: string[] }>;
  deployTargets: Record<string, { group: string }>;
  deployTargetGroups: Record<string, { pm2Managed: boolean; serviceTypes: string[] }>;
  serviceKinds: object;
  cloudProviders: object;
  protocols: object;
  pm2Profiles: string[];
};
const vocabulary = { contract, matrix };
const STRANGER = "nonsense";

function product<T extends Record<string, readonly unknown[]>>(axes: T): { [Key in keyof T]: T[Key][number] }[] {
  let rows: Record<string, unknown>[] = [{}];
  for (const [name, values] of Object.entries(axes)) {
    rows = rows.flatMap((row) => values.map((value) => (value === undefined ? row : { ...row, [name]: value })));
  }
  return rows as { [Key in keyof T]: T[Key][number] }[];
}

test("serviceType x deployTarget x runtimeProtocol x pm2Profile: accepted if and only if the YAML allows it", () => {
  const rows = product({
    serviceType: [...Object.keys(yaml.serviceTypes), STRANGER],
    deployTarget: [...Object.keys(yaml.deployTargets), STRANGER],
    runtimeProtocol: [...Object.keys(yaml.protocols), STRANGER],
    pm2Profile: [...yaml.pm2Profiles, STRANGER, undefined],
  });
  const isAccepted = ({ serviceType, deployTarget, runtimeProtocol, pm2Profile }: (typeof rows)[number]): boolean => {
    const group = yaml.deployTargetGroups[yaml.deployTargets[deployTarget]?.group ?? ""];
    const exposes = yaml.serviceTypes[serviceType]?.protocols.includes(runtimeProtocol) === true;
    const hasProfile = yaml.pm2Profiles.includes(String(pm2Profile));
    const profileFits = group?.pm2Managed ? hasProfile : pm2Profile === undefined;
    return group?.serviceTypes.includes(serviceType) === true && exposes && profileFits;
  };
  const rest = { name: "a", region: "b", runtime: "node22", databaseDriver: "SQLite", keyValueDriver: "redis" };
  for (const row of rows) {
    const issues = entryIssues("deployments", { ...rest, ...row }, [], vocabulary);
    expect(issues.length === 0, JSON.stringify({ row, issues })).toBe(isAccepted(row));
  }
  expect([rows.length, rows.filter(isAccepted).length]).toEqual([700, 48]);
});

test("serviceKind x runMode x cloudProvider: accepted if and only if the YAML allows it", () => {
  const rows = product({
    serviceKind: [...Object.keys(yaml.serviceKinds), STRANGER],
    runMode: [...Object.keys(yaml.runModes), STRANGER],
    cloudProvider: [...Object.keys(yaml.cloudProviders), STRANGER],
  });
  const isAccepted = ({ serviceKind, runMode, cloudProvider }: (typeof rows)[number]): boolean =>
    serviceKind !== STRANGER && yaml.runModes[runMode]?.cloudProviders.includes(cloudProvider) === true;
  const ports = { rest: 3000, websocket: 3001, grpc: 3002 };
  for (const row of rows) {
    const issues = serviceConfigurationIssues({ ...row, ports }, vocabulary);
    expect(issues.length === 0, JSON.stringify({ row, issues })).toBe(isAccepted(row));
  }
  expect([rows.length, rows.filter(isAccepted).length]).toEqual([160, 27]);
});

test("a change of the YAML alone changes the verdict", () => {
  const candidate = { serviceKind: "rest-api", runMode: "functions", cloudProvider: "google", ports: { rest: 3000 } };
  expect(serviceConfigurationIssues(candidate, vocabulary).map(({ message }) => message)).toEqual([
    'cloudProvider: "google" does not offer the run mode "functions"; accepted: aws, vercel, cloudflare',
  ]);
  const functions = { ...matrix.runModes["functions"]!, cloudProviders: ["google"] };
  const changed = { contract, matrix: { ...matrix, runModes: { ...matrix.runModes, functions } } };
  expect(serviceConfigurationIssues(candidate, changed)).toEqual([]);
});
