/**
 * `npm run release -- --dry-run` writes the files of a release into `release/` and publishes nothing. `npm run release --
 * 0.2.0` also closes the section of the changelog, commits it and signs the tag `v0.2.0`. A push of the tag publishes.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeArtifacts } from "./release/artifacts.ts";
import { closeSection, releaseNotes } from "./release/changelog.ts";

const ROOT = join(import.meta.dirname, "..");
const FOLDER = "release";
const [wanted = ""] = process.argv.slice(2);

if (wanted === "--dry-run") printArtifacts();
else if (/^\d+\.\d+\.\d+$/.test(wanted)) release(wanted);
else stop(`"${wanted}" is not a release. Accepted: --dry-run, or a version such as 0.2.0.`);

function printArtifacts(): void {
  const files = writeArtifacts(ROOT, join(ROOT, FOLDER));
  console.log(
    `The release is in ${FOLDER}/, and nothing was published.\n${files.map((file) => `  ${file}`).join("\n")}`,
  );
  const open = obstacles();
  if (open.length > 0) console.log(`Before it can be published:\n${open.map((line) => `  ${line}`).join("\n")}`);
}

function release(version: string): void {
  const open = obstacles();
  if (git("status", "--porcelain") !== "") open.push("The work tree has changes. Commit them.");
  if (git("tag", "--list", `v${version}`) !== "") open.push(`The tag v${version} exists. Take the next version.`);
  if (open.length > 0) return stop(`Nothing was released.\n${open.map((line) => `  ${line}`).join("\n")}`);
  const changelog = join(ROOT, "CHANGELOG.md");
  const day = new Date().toISOString().slice(0, 10);
  writeFileSync(changelog, closeSection(readFileSync(changelog, "utf8"), version, day));
  execFileSync("npm", ["version", version, "--no-git-tag-version", "--allow-same-version"], { cwd: ROOT });
  git("commit", "--quiet", "--all", "--message", `Release ${version}`);
  git("tag", "--sign", `v${version}`, "--message", `svcm ${version}`);
  console.log(`v${version} is committed and signed.\nNext: git push --follow-tags`);
}

/** Returns the reasons for which a published release would be wrong. */
function obstacles(): string[] {
  const { repository } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
    repository: { url: string };
  };
  const open = [];
  if (repository.url.includes("/OWNER/"))
    open.push("package.json names OWNER. Write the account: CONTRIBUTING.md, Release.");
  const signers = readFileSync(join(ROOT, ".github/allowed-signers"), "utf8");
  if (!/^[^#\s]/m.test(signers)) open.push(".github/allowed-signers has no key, so no tag can be verified.");
  if (releaseNotes(readFileSync(join(ROOT, "CHANGELOG.md"), "utf8")) === "")
    open.push("CHANGELOG.md has nothing unreleased.");
  return open;
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
  return stdout.trim();
}

function stop(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
