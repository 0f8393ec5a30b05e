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
  /** Names in the folder. */
  readonly names: readonly string[];
  /** Of package.json; `undefined` without one. */
  readonly packageText: string | undefined;
}

export interface ReleaseCommand {
  readonly name: "install" | "build" | "prune" | "check";
  readonly command: Exclude<DeployCommand, false>;
}

/** Development packages are needed by the build, so they go after it. @throws {SvcmError} DEPLOY_FAILED */
export function releaseCommands(
  { names, packageText }: PackageFolder,
  { install, build, check = false }: Pick<DeploySettings, "install" | "build" | "check">,
): ReleaseCommand[] {
  const pack = packageText === undefined ? {} : parsePackage(packageText);
  const manager = install === undefined ? chooseManager(names, pack) : undefined;
  return [
    toCommand("install", install ?? (manager === undefined ? false : installCommand(manager, names, pack))),
    toCommand("build", build ?? (hasBuild(pack) && [manager ?? "npm", "run", "build"])),
    toCommand("prune", (manager !== undefined && hasMembers(pack, "devDependencies") && PRUNE[manager]) || false),
    toCommand("check", check),
  ].flatMap((one) => one ?? []);
}

function hasBuild({ scripts }: Package): boolean {
  return isRecord(scripts) && typeof scripts["build"] === "string";
}

function hasMembers(pack: Package, name: string): boolean {
  const value = pack[name];
  return isRecord(value) && Object.keys(value).length > 0;
}

function toCommand(name: ReleaseCommand["name"], command: DeployCommand): ReleaseCommand | undefined {
  return command === false ? undefined : { name, command };
}

const PRUNE: Readonly<Partial<Record<Manager, readonly string[]>>> = {
  npm: ["npm", "prune", "--omit=dev"],
  pnpm: ["pnpm", "prune", "--prod"],
};

/** Each refuses a lockfile that does not match package.json. */
function installCommand(manager: Manager, names: readonly string[], pack: Package): readonly string[] {
  if (manager === "npm") return ["npm", "ci", "--prefer-offline", "--no-audit", "--no-fund"];
  const isModern = names.includes(".yarnrc.yml") || /^yarn@(?:[2-9]|\d\d)/.test(namedManager(pack));
  return [manager, "install", manager === "yarn" && isModern ? "--immutable" : "--frozen-lockfile"];
}

type Package = Readonly<Record<string, unknown>>;

/** `undefined` if nothing has to be installed. */
function chooseManager(names: readonly string[], pack: Package): Manager | undefined {
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
  const hasDependencies = DEPENDENCIES.some((member) => hasMembers(pack, member));
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

function parsePackage(text: string): Package {
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
