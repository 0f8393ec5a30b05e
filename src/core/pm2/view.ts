import { shellQuote } from "../words/text.ts";
import type { EcosystemResponse } from "../api/bodies.ts";
import type { RuntimeContract } from "../api/facts.ts";
import type { Environment } from "../project/resolve.ts";
import { type DeclaredApp, declaredApps, startEnvironment } from "./declared.ts";
import type { LoadedApp, LoadedEcosystem } from "./loaded.ts";
import { fieldNames, firstValue, normaliseApp } from "./normalise.ts";
import { declaredSettings } from "./settings.ts";
import { type Scrub, createScrub, findSecrets, redactVariable } from "./scrub.ts";

type EcosystemApp = EcosystemResponse["apps"][number];

export interface EcosystemFile extends Environment {
  readonly fileName: string;
  readonly path: string;
  readonly loaded?: LoadedEcosystem;
}

export interface ViewOptions {
  readonly contract: RuntimeContract;
  readonly secrets: Iterable<string>;
  readonly suffixes?: readonly string[] | undefined;
  readonly cpuCores: number;
}

export function ecosystemResponse(file: EcosystemFile, options: ViewOptions): EcosystemResponse {
  const { environment, fileName, path, loaded } = file;
  const scrub = createEcosystemScrub(loaded, options);
  const { suffixes, cpuCores, contract } = options;
  const declared = loaded ? declaredApps(loaded, { cpuCores }) : [];
  // PM2's own command would start nothing.
  const isHidden = loaded?.isDefaultExport === true;
  const apps = (loaded?.apps ?? []).map((app, index) => ({
    ...describeApp(app, path, contract, scrub),
    ...describeProcesses(app, declared[index], scrub),
    ...(isHidden && { command: "" }),
  }));
  const inFile = apps.map((app, index) => ({ ...app, name: scrub(loaded?.apps[index]?.nameInFile ?? app.name) }));
  const preview = suffixes && createPreview(inFile, path, suffixes, loaded?.apps[0]?.start?.env);
  return {
    environment,
    fileName,
    path,
    exists: loaded !== undefined,
    apps,
    ...(preview && { preview: isHidden ? { ...preview, command: null } : preview }),
  };
}

export function createEcosystemScrub(
  loaded: LoadedEcosystem | undefined,
  { contract, secrets }: Pick<ViewOptions, "contract" | "secrets">,
): Scrub {
  const variables = (loaded?.apps ?? []).flatMap(({ fields }) => Object.entries(normaliseApp(fields).env));
  return createScrub([...secrets, ...findSecrets(contract, variables)]);
}

function describeApp(
  { fields, places, start, nameInFile }: LoadedApp,
  path: string,
  contract: RuntimeContract,
  scrub: Scrub,
): Omit<EcosystemApp, keyof ReturnType<typeof describeProcesses>> {
  const app = normaliseApp(fields);
  const name = scrub(app.name);
  return {
    name,
    script: scrub(app.declaredScript),
    interpreter: scrub(places.interpreter),
    interpreterArgs: scrubWords(app.interpreterArgs, scrub),
    env: Object.fromEntries(
      Object.entries(startEnvironment(app, places.interpreter)).map(([key, value]) => [
        scrub(key),
        redactVariable(contract, key, value, scrub),
      ]),
    ),
    command: startCommand(start?.path ?? path, [nameInFile === undefined ? name : scrub(nameInFile)], start?.env) ?? "",
    ...(start && { cwd: scrub(places.folder) }),
  };
}

function describeProcesses({ fields }: LoadedApp, declared: DeclaredApp | undefined, scrub: Scrub) {
  const { args = [], instances = 1, execMode = "fork" } = declared ?? {};
  const { maxMemoryRestart } = declaredSettings(fields, { name: "", cwd: "/", pm2Home: "/" }, String);
  const cron = firstValue(fields, fieldNames.cron);
  return {
    args: scrubWords(args, scrub),
    instances,
    execMode,
    cronRestart: typeof cron === "string" ? scrub(cron) : null,
    maxMemoryRestart: typeof maxMemoryRestart === "number" ? maxMemoryRestart : null,
  };
}

function scrubWords(words: readonly string[], scrub: Scrub): string[] {
  return words.map((word, index) => {
    const before = words[index - 1] ?? "";
    if (!before.startsWith("-") || before.includes("=")) return scrub(word);
    const scrubbed = scrub(`${before} ${word}`);
    return scrubbed.startsWith(`${before} `) ? scrubbed.slice(before.length + 1) : scrub(word);
  });
}

function createPreview(
  apps: readonly EcosystemApp[],
  path: string,
  suffixes: readonly string[],
  env: string | undefined,
): NonNullable<EcosystemResponse["preview"]> {
  const implied = apps.map(({ name }) => name).filter((name) => suffixes.some((suffix) => name.endsWith(suffix)));
  const names = [...new Set(implied)];
  const cwd = apps.find(({ name }) => names.includes(name))?.cwd;
  return { apps: names, command: startCommand(path, names, env) ?? null, ...(cwd !== undefined && { cwd }) };
}

/** `undefined` without names, because PM2 would start every app. @see the specification, "PM2 ecosystem response" */
export function startCommand(path: string, names: readonly string[], env?: string): string | undefined {
  const only = names.filter((name) => name !== "").join(",");
  if (only === "") return undefined;
  const environment = env === undefined ? "" : ` --env ${shellQuote(env)}`;
  return `pm2 start ${shellQuote(path)} --only ${shellQuote(only)}${environment} --update-env`;
}
