import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { plainEnvironment } from "./command-line.ts";

/** Installs a release of Node.js from the registry, and returns the folder of its program `node`. */
export function installNode(folder: string, version: string): string {
  mkdirSync(folder, { recursive: true });
  const args = ["install", "--prefix", folder, `node@${version}`, "--prefer-offline", "--no-audit", "--no-fund"];
  execFileSync("npm", args, { env: plainEnvironment(), stdio: "ignore" });
  return join(folder, "node_modules/node/bin");
}
