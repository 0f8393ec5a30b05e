import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { plainEnvironment, REPOSITORY } from "./command-line.ts";

export interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

export function pack(folder: string): Packed {
  const output = npm(REPOSITORY, "pack", "--ignore-scripts", "--json", "--pack-destination", folder);
  const [packed] = JSON.parse(output) as [Packed];
  return packed;
}

/** Installs packages in a folder, from the cache if possible. */
export function install(cwd: string, ...packages: readonly string[]): void {
  npm(cwd, "install", "--prefer-offline", "--no-audit", "--no-fund", "--save-dev", ...packages);
}

/** Puts the files of a package where `install` puts them, without npm. */
export function unpack(cwd: string, archive: string): void {
  const folder = join(cwd, "node_modules/svcm");
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "--strip-components=1", "-C", folder]);
}

function npm(cwd: string, ...args: readonly string[]): string {
  return execFileSync("npm", args, {
    cwd,
    env: plainEnvironment(),
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
}
