import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noticedPackages } from "../build/notices.ts";
import { releaseNotes } from "./changelog.ts";
import { packageBom, type Bom } from "./sbom.ts";

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Builds the package and writes what a release publishes into `folder`. Returns the names of the files. */
export function writeArtifacts(root: string, folder: string): string[] {
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
      maxBuffer: 2 ** 26,
    });
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run("npm", "run", "--silent", "build");
  setModes(root, packed(run("npm", "pack", "--ignore-scripts", "--json", "--dry-run")));
  const { filename } = packed(run("npm", "pack", "--ignore-scripts", "--json", "--pack-destination", folder));
  const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, string>;
  const npmBom = JSON.parse(run("npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only")) as Bom;
  const notices = readFileSync(join(root, "dist/THIRD-PARTY-NOTICES.txt"), "utf8");
  const builtAt = new Date(Number(run("git", "log", "-1", "--format=%ct")) * 1000).toISOString();
  const bom = packageBom(npmBom, name ?? "", new Set(noticedPackages(notices).keys()), builtAt);
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8");
  const files = {
    "sbom.cdx.json": `${JSON.stringify(bom, null, 2)}\n`,
    "notes.md": `${releaseNotes(changelog, version) || releaseNotes(changelog)}\n`,
  };
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
  const published = [filename, ...Object.keys(files)];
  writeFileSync(
    join(folder, "SHA256SUMS"),
    published.map((file) => `${sha256(join(folder, file))}  ${file}\n`).join(""),
  );
  return [...published, "SHA256SUMS"];
}

/** npm packs the modes of the files, which depend on the umask of the checkout. */
function setModes(root: string, { files }: Packed): void {
  for (const { path } of files) {
    const file = join(root, path);
    chmodSync(file, (statSync(file).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

function packed(output: string): Packed {
  const [first] = JSON.parse(output) as [Packed];
  return first;
}

function sha256(file: string): string {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
