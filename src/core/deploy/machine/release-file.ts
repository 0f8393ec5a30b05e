/** A release that was built elsewhere: a tarball, or a folder, which is packed first. */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { readdir, rename, rmdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { SvcmError } from "../../api/errors.ts";
import { isBelow } from "../../running/code-files.ts";
import { folderOnly } from "../find-commit.ts";
import type { Layout } from "../layout.ts";
import type { DeployGit } from "../port-deploy-git.ts";
import { readRoom } from "../../files/host.ts";
import { lackingIn } from "../../words/thrown.ts";
import type { CommandOptions, Deploys } from "../port-deploys.ts";
import { noSpace } from "./no-space.ts";
import { TRASH, walk } from "./walk.ts";
import { runCommand } from "./run-command.ts";

const TAR_MS = 600_000;
/** Equal folders give equal archives. */
const PACK = [
  "--create",
  "--sort=name",
  "--mtime=@0",
  "--owner=0",
  "--group=0",
  "--exclude=./.git",
  "--exclude=./.svcm",
];
const LIST = ["--list", "--verbose", "--full-time", "--numeric-owner", "--quoting-style=c"];
const EXTRACT = ["--extract", "--no-same-owner", "--no-same-permissions"];

interface ReleaseFilePlace {
  readonly root: string;
  readonly layout: Layout;
  /** For what concerns the checkout. */
  readonly git: DeployGit;
}

/** @see Deploys.releaseFile */
export async function openReleaseFile(place: ReleaseFilePlace, path: string): ReturnType<Deploys["releaseFile"]> {
  const { root, layout, git } = place;
  const isFolder = statOf(path).isDirectory();
  const file = isFolder ? await packFolder(layout, path) : path;

  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  const digest = hash.digest("hex");
  const revision = basename(path);
  return {
    found: { commit: digest.slice(0, 40), revision, source: path, digest },
    checkout: folderOnly(realpathSync(root)),
    git: {
      ...git,
      readCommit: () => Promise.resolve({ subject: revision, submodules: [], lfsCandidates: [] }),
      write: (_commit, folder) => writeRelease({ file, path, layout, isFolder }, folder),
    },
  };
}

function statOf(path: string) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() === true || stats?.isDirectory() === true) return stats;
  throw unusable(path, "It does not exist, or is neither a file nor a folder.");
}

async function packFolder({ root, records }: Layout, folder: string): Promise<string> {
  const real = realpathSync(folder);
  if (root === real || isBelow(root, real)) throw unusable(folder, `The deploy root ${root} lies below it.`);
  const file = join(records, "folder.tar");
  await runTar({ path: folder, root }, [...PACK, `--directory=${real}`, `--file=${file}`, "."], undefined);
  return file;
}

interface Archive {
  readonly file: string;
  /** As requested. */
  readonly path: string;
  readonly layout: Layout;
  readonly isFolder: boolean;
}

async function writeRelease({ file, path, layout, isFolder }: Archive, folder: string): Promise<void> {
  let bytes = 0;
  let refusal: string | undefined;
  const place = { path, root: layout.root };
  await runTar(place, [...LIST, `--file=${file}`], (line) => {
    // Of tar itself, or of the program that unpacks for it; its exit code counts.
    if (/^[\w/.-]+: /.test(line)) return;
    const entry = readArchiveEntry(line);
    bytes += entry.bytes;
    refusal ??= entry.refusal;
  });
  if (refusal !== undefined) throw unusable(path, refusal);
  const { bytes: free } = readRoom(layout.root);
  if (bytes > free)
    throw new SvcmError("DEPLOY_IMPOSSIBLE", {
      code: "DEPLOY_NO_SPACE",
      path: layout.root,
      details: `${path} has ${bytes} bytes unpacked, and ${free} are free in ${layout.root}.`,
    });
  await runTar(place, [...EXTRACT, `--directory=${folder}`, `--file=${file}`], undefined);
  if (!isFolder) await unwrap(layout, folder);
  requireOwnLinks(path, folder);
}

/** As `npm pack` and hosts of repositories make it: everything in one folder. */
async function unwrap({ releases }: Layout, folder: string): Promise<void> {
  const [only = "", ...others] = await readdir(folder);
  if (others.length > 0 || !lstatSync(join(folder, only)).isDirectory()) return;
  const inner = join(releases, `${TRASH}${basename(folder)}`);
  await rename(join(folder, only), inner);
  await rmdir(folder);
  await rename(inner, folder);
}

/** A chain of links may lead out although each of them seems to stay, so the system is asked; Node.js itself only joins texts. */
function requireOwnLinks(path: string, folder: string): void {
  for (const { path: link } of walk(folder, () => true)) {
    if (!lstatSync(link).isSymbolicLink()) continue;
    const text = readlinkSync(link);
    const target = existsSync(link) ? realpathSync.native(link) : resolve(realpathSync(dirname(link)), text);
    if (text.startsWith("/") || (target !== folder && !isBelow(target, folder)))
      throw unusable(path, `The link ${link.slice(folder.length + 1)} leads out of the archive, to ${text}.`);
  }
}

interface TarPlace {
  readonly path: string;
  /** Into which it writes. */
  readonly root: string;
}

async function runTar({ path, root }: TarPlace, args: readonly string[], onLine: CommandOptions["onLine"]) {
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C" };
  const result = await runCommand(["tar", "--force-local", ...args], { cwd: "/", env, timeoutMs: TAR_MS, onLine });
  if (result.end === "exit" && result.exitCode === 0) return;
  const lacking = lackingIn(result.lastLines);
  if (lacking !== undefined) throw noSpace("tar", root, lacking);
  throw unusable(path, `tar could not read or write it: ${result.lastLines.slice(-3).join(" ")}`);
}

function unusable(path: string, why: string): SvcmError {
  return new SvcmError("DEPLOY_FAILED", {
    code: "RELEASE_FILE_UNUSABLE",
    path,
    details: `${path} is not used as a release. ${why}`,
    hint: "Accepted: a folder, or a tarball with files, folders, and links that stay inside.",
  });
}

/** A line of `tar --list --verbose --full-time --quoting-style=c`. */
const ENTRY = /^(.)\S+ \S+ +(\d+|\d+,\d+) \S+ \S+ "((?:[^"\\]|\\.)*)"/;
/** Files, folders, and links, which are looked at once they are written. */
const ACCEPTED = "-dlh";

export interface ArchiveEntry {
  readonly bytes: number;
  /** Why svcm writes nothing of the archive; `undefined` if the entry is fine. */
  readonly refusal: string | undefined;
}

export function readArchiveEntry(line: string): ArchiveEntry {
  const [, type = "", size = "", name = ""] = ENTRY.exec(line) ?? [];
  const parts = name.split("/");
  const refusal =
    type === ""
      ? `It has an entry that svcm cannot read: ${line.slice(0, 100)}.`
      : !ACCEPTED.includes(type)
        ? `${name} is a device, a pipe or another special file.`
        : name.startsWith("/") || parts.includes("..")
          ? `${name} lies outside of the archive.`
          : parts.includes(".git")
            ? `${name} belongs to a Git repository.`
            : undefined;
  return { bytes: Number(size) || 0, refusal };
}
