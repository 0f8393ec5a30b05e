import type { useBrowser } from "../browser/support.ts";
import { openSuite, type SuitePage } from "./suite-page.ts";

const VERSION = "service-management.v1";

const pm2 = {
  region: "rack-2",
  runtime: "node22",
  serviceType: "restapi",
  deployTarget: "dedicated-server",
  runtimeProtocol: "http",
  databaseDriver: "PostgreSQL",
  keyValueDriver: "redis",
  pm2Profile: "staging",
};
const { pm2Profile: _, ...withoutProfile } = pm2;
export const lambda = {
  ...withoutProfile,
  name: "edge",
  region: "eu",
  deployTarget: "lambda",
  serviceType: "functions",
};
export const [a, b, c] = ["a", "b", "c"].map((name) => ({ name, ...pm2 })) as [Target, Target, Target];
export type Target = typeof pm2 & { name: string };

export function suiteOf(...deployments: object[]) {
  return { version: VERSION, deployments };
}

export function openTargets(browser: ReturnType<typeof useBrowser>, ...deployments: object[]): Promise<SuitePage> {
  return openSuite(browser, "targets", suiteOf(...deployments));
}
