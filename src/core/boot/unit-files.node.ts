/** Finds units in the folders of systemd, which works without rights, and in an image that no systemd runs. */
import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { listIfReadable, readIfReadable, realPathIfReadable } from "../files/system.ts";
import { expandSpecifiers, findStart, parseUnit, type ParsedUnit, type StartCommand } from "./unit-text.ts";
import type { MachineUser, UnitFacts } from "./ports.ts";
import { SYSTEM_UNIT_FOLDER, userUnitFolder } from "./unit-folders.node.ts";

export interface UnitSearch {
  /** `/`, or another folder with the files of a machine. */
  readonly root: string;
  readonly pm2Home: string;
  readonly owner: MachineUser | null;
  readonly findUser: (name: string) => MachineUser | undefined;
}

/** In the order in which systemd reads them: the first file of a name counts. */
const SYSTEM_FOLDERS = [
  SYSTEM_UNIT_FOLDER,
  "/usr/local/lib/systemd/system",
  "/usr/lib/systemd/system",
  "/lib/systemd/system",
];
const USER_FOLDERS = ["/etc/systemd/user", "/usr/local/lib/systemd/user", "/usr/lib/systemd/user", "/lib/systemd/user"];

/** Those that start this PM2, or another one of its owner. */
export function findUnits(search: UnitSearch): UnitFacts[] {
  const { root, owner } = search;
  const place = (folders: readonly string[]): string[] => folders.map((folder) => join(root, folder));
  const system = unitsIn(search, place(SYSTEM_FOLDERS), "system");
  if (owner === null) return system;
  return [...system, ...unitsIn(search, [join(root, userUnitFolder(owner.folder)), ...place(USER_FOLDERS)], "user")];
}

function unitsIn(search: UnitSearch, folders: readonly string[], scope: UnitFacts["scope"]): UnitFacts[] {
  const listings = folders.map((folder) => [folder, listIfReadable(folder)] as const);
  const enabled = new Set(listings.flatMap(enabledNames));
  const files = new Map<string, string>();
  for (const [folder, names] of listings)
    for (const name of names) if (name.endsWith(".service") && !files.has(name)) files.set(name, folder);
  // An instance of a template exists only as a link to it.
  for (const name of enabled) {
    const folder = files.get(templateOf(name));
    if (!files.has(name) && folder !== undefined) files.set(name, folder);
  }
  return [...files].flatMap(([name, folder]) => {
    const path = join(folder, files.has(name) && existsSync(join(folder, name)) ? name : templateOf(name));
    if (isMasked(path) || name.includes("@.")) return [];
    const text = readIfReadable(path);
    const parsed = parseUnit([text, ...dropIns(listings, name).map(readIfReadable)].join("\n"));
    return toFacts(search, { name, path, text, scope, isEnabled: enabled.has(name), parsed }) ?? [];
  });
}

function templateOf(name: string): string {
  return name.replace(/@.*(?=\.service$)/, "@");
}

type Listing = readonly [folder: string, names: readonly string[]];

function enabledNames([folder, names]: Listing): string[] {
  const targets = names.filter((name) => /\.(?:wants|requires)$/.test(name));
  return targets.flatMap((target) => listIfReadable(join(folder, target)));
}

function dropIns(listings: readonly Listing[], name: string): string[] {
  const places = listings.flatMap(([folder, names]) =>
    names.includes(`${name}.d`) ? [join(folder, `${name}.d`)] : [],
  );
  const files = places.flatMap((place) => listIfReadable(place).map((file) => join(place, file)));
  return files.filter((file) => file.endsWith(".conf")).toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1));
}

function isMasked(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink() && readlinkSync(path) === "/dev/null";
  } catch {
    return false;
  }
}

interface FoundUnit extends Pick<UnitFacts, "name" | "path" | "text" | "scope" | "isEnabled"> {
  readonly parsed: ParsedUnit;
}

function toFacts(search: UnitSearch, { parsed, ...unit }: FoundUnit): UnitFacts | undefined {
  const { root, owner } = search;
  const user = unitUser(search, unit.scope, parsed.user ?? "root");
  const start = findStart(parsed.commands.map((words) => words.map((word) => expandWord(word, user, unit.name))));
  if (start === undefined) return undefined;
  const home = homeOf(parsed, user, unit.name);
  const isOfHome = home !== null && realPathIfReadable(home) === realPathIfReadable(search.pm2Home);
  if (!isOfHome && user.name !== owner?.name) return undefined;
  return {
    ...unit,
    user: user.name,
    home,
    isOfHome,
    starts: start.starts,
    ...missingPrograms(start, parsed),
    isLingering: unit.scope === "user" ? existsSync(join(root, "/var/lib/systemd/linger", user.name)) : null,
    replaced: parsed.replaced,
    madeLinger: parsed.madeLinger,
  };
}

interface UnitUser {
  readonly name: string;
  /** `undefined` if the machine does not know the user. */
  readonly folder: string | undefined;
}

function unitUser({ owner, findUser }: UnitSearch, scope: UnitFacts["scope"], name: string): UnitUser {
  const user = scope === "user" ? owner : findUser(name);
  return { name: user?.name ?? name, folder: user?.folder };
}

/** PM2's default is `.pm2` in the home folder. */
function homeOf({ environment, hasEnvironmentFile }: ParsedUnit, user: UnitUser, unit: string): string | null {
  const { PM2_HOME: declared, HOME: folder = user.folder } = environment;
  if (declared === undefined) return hasEnvironmentFile || folder === undefined ? null : join(folder, ".pm2");
  return expandSpecifiers(declared, knownOf(user, unit)) ?? null;
}

function knownOf(user: UnitUser, unit: string): Parameters<typeof expandSpecifiers>[1] {
  return { folder: user.folder ?? "", user: user.name, instance: /@(.*)\.service$/.exec(unit)?.[1] ?? "" };
}

/** Not a path, so svcm does not look for it. */
function expandWord(word: string, user: UnitUser, unit: string): string {
  return expandSpecifiers(word, knownOf(user, unit))?.replaceAll("$$", "$") ?? UNKNOWN_WORD;
}

const UNKNOWN_WORD = "?";

/** systemd's own PATH, which it gives to a unit without one. */
const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

function missingPrograms(
  { node, program }: StartCommand,
  { environment }: ParsedUnit,
): Pick<UnitFacts, "missingNode" | "missingProgram"> {
  const missingProgram = program !== null && program.startsWith("/") && isMissing(program) ? program : null;
  if (node !== null) return { missingProgram, missingNode: node.startsWith("/") && isMissing(node) ? node : null };
  const isScript = program !== null && /^#!\S*env node\b/.test(readIfReadable(program).slice(0, 80));
  const folders = (environment["PATH"] ?? DEFAULT_PATH).split(delimiter);
  const hasNode = folders.some((folder) => !isMissing(join(folder, "node")));
  return { missingProgram, missingNode: isScript && !hasNode ? "node" : null };
}

function isMissing(path: string): boolean {
  try {
    lstatSync(realpathSync(path));
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR";
  }
}
