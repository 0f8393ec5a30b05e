/** The commands that make a release from a checkout, by its lockfile and package.json. */
import { SvcmError } from "../api/errors.ts";
import type { DeployCommand, DeploySettings } from "../project/deploy-settings.ts";
import { isRecord, ownMember } from "../words/record.ts";

type Manager = "npm" | "pnpm" | "yarn" | "bun";

const LOCKFILE_MANAGERS: Readonly<Record<string, Manager>> = {
  "package-lock.json": "npm",
  "npm-shrinkwrap.json": "npm",
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
};

export interface PackageFolder {
  readonly folder: string;
  /** Names in the folder. */
  readonly names: readonly string[];
  /** Of package.json; `undefined` without one. */
  readonly packageText: string | undefined;
}

/** A folder with a lockfile, and the services of the release that it installs. */
export interface InstallFolder extends PackageFolder {
  readonly services: readonly PackageFolder[];
}

export interface ReleaseCommand {
  readonly name: "install" | "build" | "prune" | "check";
  readonly command: Exclude<DeployCommand, false>;
  readonly cwd: string;
}

type ReleaseSettings = Pick<DeploySettings, "install" | "build" | "check">;

/**
 * Development packages are needed by the build, so they go after it.
 * @param base the folder of declared commands
 * @throws {SvcmError} DEPLOY_FAILED
 */
export function releaseCommands(
  base: string,
  folders: readonly InstallFolder[],
  { install, build, check = false }: ReleaseSettings,
): ReleaseCommand[] {
  const implied = folders.map((folder) => impliedCommands(folder, install));
  const choose = (name: ReleaseCommand["name"], declared: DeployCommand | undefined): ReleaseCommand[] => {
    if (declared === undefined) return implied.flat().filter((one) => one.name === name);
    return declared === false ? [] : [{ name, command: declared, cwd: base }];
  };
  return [
    ...choose("install", install),
    ...choose("build", build),
    ...choose("prune", install === undefined ? undefined : false),
    ...choose("check", check),
  ];
}

/** A workspace without a build of the whole builds its services. */
function impliedCommands(
  { folder, names, packageText, services }: InstallFolder,
  install: DeployCommand | undefined,
): ReleaseCommand[] {
  const pack = parsePackage(packageText);
  const members = services.map((one) => ({ folder: one.folder, pack: parsePackage(one.packageText) }));
  const packs = [pack, ...members.map((one) => one.pack)];
  const manager = install === undefined ? chooseManager(names, pack, packs) : undefined;
  const builders = hasBuild(pack) ? [folder] : members.filter((one) => hasBuild(one.pack)).map((one) => one.folder);
  const build = [manager ?? "npm", "run", "build"];
  const builds = builders.map((cwd): ReleaseCommand => ({ name: "build", command: build, cwd }));
  if (manager === undefined) return builds;
  const isWorkspace = names.includes("pnpm-workspace.yaml") || pack["workspaces"] !== undefined;
  const prune = isWorkspace || packs.some((one) => hasMembers(one, "devDependencies")) ? PRUNE[manager] : undefined;
  return [
    { name: "install", command: installCommand(manager, names, pack), cwd: folder },
    ...builds,
    ...(prune === undefined ? [] : [{ name: "prune" as const, command: prune, cwd: folder }]),
  ];
}

function hasBuild({ scripts }: Package): boolean {
  return isRecord(scripts) && typeof scripts["build"] === "string";
}

function hasMembers(pack: Package, name: string): boolean {
  const value = pack[name];
  return isRecord(value) && Object.keys(value).length > 0;
}

/** Scripts such as `prepare` need a program that is gone by then. `pnpm prune` empties the packages of a workspace. */
const PRUNE: Readonly<Partial<Record<Manager, readonly string[]>>> = {
  npm: ["npm", "prune", "--omit=dev", "--ignore-scripts"],
  pnpm: [
    "pnpm",
    "install",
    "--prod",
    "--frozen-lockfile",
    "--offline",
    "--ignore-scripts",
    "--config.modules-cache-max-age=0",
  ],
};

/** Each refuses a lockfile that does not match package.json. */
function installCommand(manager: Manager, names: readonly string[], pack: Package): readonly string[] {
  if (manager === "npm") return ["npm", "ci", "--prefer-offline", "--no-audit", "--no-fund"];
  const isModern = names.includes(".yarnrc.yml") || /^yarn@(?:[2-9]|\d\d)/.test(namedManager(pack));
  return [manager, "install", manager === "yarn" && isModern ? "--immutable" : "--frozen-lockfile"];
}

type Package = Readonly<Record<string, unknown>>;

/** `undefined` if nothing has to be installed. */
function chooseManager(names: readonly string[], pack: Package, packs: readonly Package[]): Manager | undefined {
  const lockfiles = names.filter((name) => Object.hasOwn(LOCKFILE_MANAGERS, name)).toSorted();
  const managers = [...new Set(lockfiles.flatMap((name) => ownMember(LOCKFILE_MANAGERS, name) ?? []))];
  const [first] = managers;
  if (managers.length === 1) return first;
  const [named] = namedManager(pack).split("@");
  const chosen = managers.find((one) => one === named);
  if (chosen !== undefined) return chosen;
  if (managers.length > 1)
    throw new SvcmError("DEPLOY_FAILED", {
      code: "LOCKFILE_AMBIGUOUS",
      details: `The release has several lockfiles: ${lockfiles.join(", ")}.`,
      hint: "Keep one of them, name the package manager with packageManager in package.json, or set deploy.install in svcm.yaml.",
    });
  const hasDependencies = packs.some((one) => DEPENDENCIES.some((member) => hasMembers(one, member)));
  if (!hasDependencies) return undefined;
  throw new SvcmError("DEPLOY_FAILED", {
    code: "LOCKFILE_MISSING",
    details: `package.json has dependencies, but the commit has no lockfile, so two installs of it may differ. Accepted: ${Object.keys(LOCKFILE_MANAGERS).join(", ")}.`,
    hint: "Commit the lockfile, or set deploy.install in svcm.yaml, for example: install: npm install",
  });
}

const DEPENDENCIES = ["dependencies", "devDependencies", "optionalDependencies"];

/** For example `pnpm@9.1.0`. */
function namedManager({ packageManager }: Package): string {
  return typeof packageManager === "string" ? packageManager : "";
}

function parsePackage(text: string | undefined): Package {
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // As for another value.
  }
  throw new SvcmError("DEPLOY_FAILED", { code: "PACKAGE_INVALID", details: "package.json is not a JSON object." });
}

const KEPT_VARIABLE = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_\w+|TMPDIR|TZ|(?:https?|no|all)_proxy)$/i;
/** These would leave out what the build needs. */
const LEFT_OUT = /^npm_config_(?:omit|only|production|include|global|prefix|local_prefix|user_agent|noproxy)$/i;

/** Neither the shell's secrets nor the values of the apps reach the scripts of dependencies. */
export function commandEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  added: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name]) => (KEPT_VARIABLE.test(name) || /^npm_config_/i.test(name)) && !LEFT_OUT.test(name),
  );
  const present = kept.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return { ...Object.fromEntries(present), CI: "1", ...added };
}

export function commandText(command: Exclude<DeployCommand, false>): string {
  return typeof command === "string" ? command : command.join(" ");
}
