import { SvcmError } from "../api/errors.ts";
import { effectiveValues } from "../env/env-file.ts";
import { envLayerPaths } from "../project/env-layers.ts";
import { resolvePath } from "../project/resolve.ts";
import { createScrub, type Scrub } from "../pm2/scrub.ts";
import { readSecrets } from "../pm2/ecosystem-file.ts";
import { lackingIn, type Lacking } from "../words/thrown.ts";
import { decodeUtf8 } from "../words/utf8.ts";
import type { DeploySettings } from "../project/deploy-settings.ts";
import { chooseDeploy, servicesOf } from "./record.ts";
import {
  commandEnvironment,
  commandText,
  releaseCommands,
  type InstallFolder,
  type PackageFolder,
  type ReleaseCommand,
} from "./commands.ts";
import type { DeployContext } from "./deploy-context.ts";
import type { CommandResult, ReleaseWorld } from "./port-deploys.ts";

interface PreparedPlace {
  readonly id: string;
  readonly top: string;
  readonly world: ReleaseWorld;
  readonly settings: DeploySettings;
}

/**
 * Installs, builds, and removes development packages.
 * @returns the digest of the values that the build saw; undefined if it sees none
 * @throws {SvcmError} DEPLOY_FAILED
 */
export async function runReleaseCommands(context: DeployContext, place: PreparedPlace): Promise<string | undefined> {
  const { ports, caller, root, deploys } = context;
  const { id, top, world, settings } = place;
  const base = (await root.installFolder(top, world.workspace.root)) ?? world.workspace.root;
  const commands = releaseCommands(base, await listInstallFolders(context, place, base), settings);
  const scrub = await createOutputScrub(context, world);
  const deadlineMs = ports.clock.elapsed() + settings.timeoutMs;
  const isSeen = commands.some(({ name }) => seesValues(name));
  const values = isSeen ? await buildValues(context, world, settings.env) : {};
  for (const one of commands) {
    const where = one.cwd === base ? "" : ` in ${one.cwd.slice(top.length + 1)}`;
    const text = scrub(`${commandText(one.command)}${where}`);
    caller.say?.(`${one.name}: ${text}`);
    const added = seesValues(one.name) ? values : {};
    const causes = new Set<string>();
    const result = await deploys.run(one.command, {
      cwd: one.cwd,
      env: commandEnvironment(deploys.callerVariables(), added),
      timeoutMs: Math.max(1, deadlineMs - ports.clock.elapsed()),
      signal: caller.signal,
      isMarked: true,
      onStart: (command) => root.append(id, { event: "command", name: one.name, ...command }),
      onLine: (line) => {
        const shown = scrub(line);
        for (const cause of causesIn(line)) causes.add(cause);
        root.appendOutput(id, `${one.name}: ${shown}`);
        caller.say?.(`  ${shown}`);
      },
    });
    if (result.end !== "exit" || result.exitCode !== 0)
      throw commandFailure(`The ${one.name} (${text})`, result, settings, { scrub, causes });
  }
  return await digestValues(context, values);
}

function seesValues(name: ReleaseCommand["name"]): boolean {
  return name === "build" || name === "check";
}

async function digestValues(
  { ports }: DeployContext,
  values: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  if (Object.keys(values).length === 0) return undefined;
  return (await ports.processes.withHomeKey()).digest(JSON.stringify(values));
}

/** A build may contain the values that it saw, so a release of other values is not the one that is wanted now. */
export async function hasPresentValues(
  context: DeployContext,
  world: ReleaseWorld,
  built: string | undefined,
): Promise<boolean> {
  if (built === undefined) return true;
  const { settings } = chooseDeploy(await world.facts.project(), context.service);
  const values = await buildValues(context, world, settings.env).catch(() => ({}));
  return (await digestValues(context, values)) === built;
}

/** Below `top`, those of the services, or the base without a lockfile. */
async function listInstallFolders(
  context: DeployContext,
  { top, world }: PreparedPlace,
  base: string,
): Promise<InstallFolder[]> {
  const { root } = context;
  const services = servicesOf(await world.facts.project(), context);
  const own = world.workspace.root;
  const folders = new Set(services.map(({ service }) => resolvePath(own, service.folder)));
  const found = new Map<string, PackageFolder[]>();
  for (const folder of folders.size === 0 ? [own] : folders) {
    const place = (await root.installFolder(top, folder)) ?? base;
    found.set(place, [...(found.get(place) ?? []), await root.packageFolder(folder)]);
  }
  return await Promise.all(
    [...found].map(async ([place, members]) => ({ ...(await root.packageFolder(place)), services: members })),
  );
}

function commandFailure(
  what: string,
  { end, exitCode, signal, lastLines }: CommandResult,
  { timeoutMs }: DeploySettings,
  { scrub, causes }: { readonly scrub: Scrub; readonly causes: ReadonlySet<string> },
): SvcmError {
  const how = {
    exit: `ended with exit code ${exitCode}`,
    signal: `was ended by ${signal}`,
    timeout: `did not finish within ${timeoutMs / 1000} seconds, the timeout of deploy`,
    aborted: "was stopped",
    absent: "could not be started",
  }[end];
  const code = end === "timeout" ? "DEPLOY_TIMEOUT" : end === "aborted" ? "DEPLOY_STOPPED" : "DEPLOY_COMMAND_FAILED";
  const lines = lastLines.map((line) => `  ${scrub(line)}`);
  const isLacking = Object.values(LACKING).some((cause) => causes.has(cause));
  return new SvcmError(isLacking ? "DEPLOY_IMPOSSIBLE" : "DEPLOY_FAILED", {
    code,
    ...(isLacking && { hint: "Free some space, and deploy again." }),
    details: [[`${what} ${how}.`, ...causes].join(" "), ...lines].join("\n"),
  });
}

const LACKING: Readonly<Record<Lacking, string>> = {
  space: "The disk is full (ENOSPC).",
  quota: "The disk quota of its user is used up (EDQUOT).",
};

/** npm writes its usage after the cause, so the last lines may not have it. */
const KNOWN_CAUSES = [
  [
    /`npm ci` can only install packages when|ERR_PNPM_(?:OUTDATED_LOCKFILE|LOCKFILE_CONFIG_MISMATCH)|YN0028|lockfile needs to be updated|lockfile had changes, but lockfile is frozen/,
    "The lockfile does not match package.json: install in the checkout, and commit both.",
  ],
] as const;

function causesIn(line: string): string[] {
  const lacking = lackingIn([line]);
  const known = KNOWN_CAUSES.flatMap(([pattern, cause]) => (pattern.test(line) ? [cause] : []));
  return lacking === undefined ? known : [LACKING[lacking], ...known];
}

/** Values of the apps and of package registries, also those that the shell holds. */
async function createOutputScrub({ deploys }: DeployContext, world: ReleaseWorld): Promise<Scrub> {
  const secrets = await readSecrets(world, await world.facts.runtimeContract());
  return createScrub([...secrets, ...deploys.registrySecrets(world.workspace.root)]);
}

/** A later layer, and a later service, overrides an earlier one. */
async function buildValues(
  context: DeployContext,
  world: ReleaseWorld,
  names: readonly string[],
): Promise<Record<string, string>> {
  const [project, contract] = await Promise.all([world.facts.project(), world.facts.runtimeContract()]);
  const { environment } = context;
  const services = project === undefined ? [""] : servicesOf(project, context).map(({ name }) => name);
  const paths = services.flatMap((name) => envLayerPaths(world.workspace, { project, contract }, environment, name));
  const texts = await Promise.all(paths.map((path) => world.files.read(path).then(decodeUtf8, () => undefined)));
  const values = effectiveValues(texts.map((text = "") => ({ text })));
  const missing = names.filter((name) => !values.has(name));
  if (missing.length > 0)
    throw new SvcmError("DEPLOY_FAILED", {
      code: "DEPLOY_ENV_MISSING",
      details: `deploy.env names ${missing.join(", ")} for the build, and no env file of ${environment} has a value. Files: ${paths.join(", ") || "none"}.`,
    });
  return Object.fromEntries(names.map((name) => [name, values.get(name) ?? ""]));
}
