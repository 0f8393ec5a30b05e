import { baseName } from "../../words/text.ts";
import { hasCredentials, isPlaceholder, isPlainKey } from "../../secrets/redact.ts";
import { parseEnvDocument, valuesOf } from "../../env/document.ts";
import { classify, isPublicSecret } from "../detect/classify.ts";
import type { Detection } from "../detect/detect.ts";
import type { RunningApp } from "../detect/pm2-file.ts";
import { isEnvName } from "../../words/environment-names.ts";
import { isScriptLikePm2, type Survey } from "../detect/survey.ts";
import { overriddenFolders, type FolderVariables, type OverriddenFolder } from "../../project/folder-variables.ts";
import { type Project, PROJECT_FILE } from "../../project/project.ts";
import type { Finding, Rule } from "../../findings/rule.ts";

export interface ConfiguredFile {
  readonly kind: "ecosystem" | "env";
  readonly environment: string;
  readonly service: string;
  readonly path: string;
  readonly exists: boolean;
  readonly overridden: readonly string[];
}

type FileGroup = Pick<ConfiguredFile, "kind" | "environment" | "service">;

export function isSameGroup(a: FileGroup, b: FileGroup): boolean {
  return a.kind === b.kind && a.environment === b.environment && a.service === b.service;
}

/** Contains no values. */
export interface RepositoryState {
  /** `svcm.yaml` names the files, or they are in the default places. */
  readonly isSetUp: boolean;
  readonly isEmpty: boolean;
  readonly places: readonly ConfiguredFile[];
  readonly bareEnvironments: readonly string[];
  readonly unnamed: readonly string[];
  readonly scripts: readonly string[];
  readonly tracked: readonly FileKeys[];
  readonly unignored: readonly FileKeys[];
  readonly publicSecrets: readonly string[];
  readonly unsetKeys: readonly string[];
  readonly unusedKeys: readonly string[];
  /** Env files whose values nothing in the repository seems to load. */
  readonly unloaded: readonly string[];
  readonly undecryptable: readonly string[];
  readonly guesses: readonly string[];
  readonly overrides: readonly OverriddenFolder[];
  /** Apps of PM2 in a repository without an ecosystem file. */
  readonly undeclaredApps: readonly string[];
}

export interface FileKeys {
  readonly path: string;
  readonly keys: readonly string[];
}

export interface Observations {
  readonly survey: Survey;
  readonly detection: Detection;
  readonly project: Project | undefined;
  readonly places: readonly ConfiguredFile[];
  readonly tracked: readonly string[];
  readonly unignored: readonly string[];
  readonly hasDotenvx: boolean;
  readonly folderVariables: FolderVariables;
  readonly running: readonly RunningApp[];
}

export function examine(observations: Observations): RepositoryState {
  const { survey, detection, project, places, hasDotenvx, running } = observations;
  const named = new Set(places.map(({ path }) => path));
  const values = detection.env.filter(({ kind }) => kind === "values");
  const found = usableFiles(detection);
  const used = new Set(places.map(({ environment }) => environment));
  const isSetUp = project !== undefined || found.length === 0 || found.some((path) => named.has(path));
  const overrides = project ? overriddenFolders(project, observations.folderVariables) : [];
  // The other place of such a file is named, although the variable wins.
  const moved = new Set(overrides.length > 0 ? [...named].map(baseName) : []);
  return {
    isSetUp,
    isEmpty: isEmpty(observations, found),
    places,
    bareEnvironments: Object.keys(project?.environments ?? {}).filter((name) => !used.has(name)),
    unnamed: unnamedFiles(detection, named).filter((path) => !moved.has(baseName(path))),
    scripts: detection.notUnderstood.map(({ path }) => path).filter(isScriptLikePm2),
    tracked: filesWithSecrets(survey, detection, observations.tracked),
    unignored: filesWithSecrets(survey, detection, observations.unignored),
    publicSecrets: detection.keys.map(({ key }) => key).filter(isPublicSecret),
    ...(survey.isCut ? { unsetKeys: [], unusedKeys: [], unloaded: [] } : unmatchedKeys(survey, detection, places)),
    undecryptable: hasDotenvx ? [] : values.filter(({ isEncrypted }) => isEncrypted).map(({ path }) => path),
    guesses: Object.keys(project?.guesses ?? {}),
    overrides,
    undeclaredApps: hasPm2File(observations) ? [] : [...new Set(running.map(({ name }) => name))],
  };
}

/** Other findings name a file that no environment names. */
function hasPm2File({ detection, places }: Pick<Observations, "detection" | "places">): boolean {
  return detection.pm2.length + detection.undecided.length > 0 || places.some(({ kind }) => kind === "ecosystem");
}

function usableFiles({ pm2, env }: Pick<Detection, "pm2" | "env">): string[] {
  return [...pm2, ...env.filter(({ kind }) => kind === "values")].map(({ path }) => path);
}

export function unnamedFiles(found: Pick<Detection, "pm2" | "env">, named: ReadonlySet<string>): string[] {
  return usableFiles(found).filter((path) => !named.has(path));
}

/** Files beyond the limit of the survey are not known. */
function isEmpty({ survey, project, places }: Observations, found: readonly string[]): boolean {
  return !survey.isCut && project === undefined && found.length === 0 && places.length === 0;
}

export function filesWithSecrets(
  { files }: Pick<Survey, "files">,
  { env }: Pick<Detection, "env">,
  paths: readonly string[],
): FileKeys[] {
  return env
    .filter(({ path, kind, isEncrypted }) => kind === "values" && !isEncrypted && paths.includes(path))
    .map(({ path }) => ({ path, keys: secretKeysIn(files.get(path)) }))
    .filter(({ keys }) => keys.length > 0);
}

export function overriddenKeys(text: string | undefined, later: readonly (string | undefined)[]): string[] {
  const overriding = new Set(later.flatMap(keysIn));
  return keysIn(text).filter((key) => overriding.has(key));
}

function keysIn(text = ""): string[] {
  return [...valuesOf(parseEnvDocument(text)).keys()].filter(isPlainKey);
}

function secretKeysIn(text = ""): string[] {
  return [...valuesOf(parseEnvDocument(text))]
    .filter(([key, value]) => isPlainKey(key) && !isPlaceholder(value) && holdsSecret(key, value))
    .map(([key]) => key);
}

/** A database URL is a secret only if it contains a password. */
function holdsSecret(key: string, value: string): boolean {
  const { verdict } = classify(key, [value]);
  return verdict === "secret" || (verdict === "connection" && hasCredentials(value));
}

/** Libraries and options that load an env file, frameworks that do it by themselves, and the name as code writes it. */
const LOADERS = [
  ..."dotenv DotEnv Dotenv loadEnv env-file env_file envfile EnvFile EnvironmentFile env-cmd direnv doppler infisical".split(
    " ",
  ),
  ..."@nestjs/config @adonisjs strapi @redwoodjs @remix-run @react-router @sveltejs @keystone medusa directus payload".split(
    " ",
  ),
  ..."react-scripts vue-cli-service nitro vinxi firebase-functions prisma foreman honcho pipenv artisan".split(" "),
  ..."decouple environs pydantic django meteor godotenv viper".split(" "),
  ...["bun", "deno", "next", "nuxt", "vite", "astro", "gatsby", "parcel", "nx"].flatMap((name) => [
    `"${name}`,
    `'${name}`,
    `${name} `,
    `env ${name}`,
  ]),
  ...["/", '"', "'", "`", " "].map((before) => `${before}.env`),
];

/** @returns the words of which one in a file shows that the env files may be loaded */
export function loadersOf(paths: readonly string[]): string[] {
  return [...LOADERS, ...paths.map(baseName).filter((name) => name !== ".env")];
}

function unmatchedKeys(
  { files }: Survey,
  { env, keys }: Detection,
  places: readonly ConfiguredFile[],
): Pick<RepositoryState, "unsetKeys" | "unusedKeys" | "unloaded"> {
  const texts = [...files].flatMap(([path, text = ""]) => (isEnvName(path) || path === PROJECT_FILE ? [] : [text]));
  const values = env.filter(({ kind, isEncrypted }) => kind === "values" && !isEncrypted);
  const definedKeys = new Set(values.flatMap(({ path }) => keysIn(files.get(path))));
  const named = new Set(places.filter(({ exists }) => exists).map(({ path }) => path));
  // Without an ecosystem file, the apps are elsewhere.
  const hasApps = places.some(({ kind, exists }) => kind === "ecosystem" && exists);
  const loaded = !hasApps
    ? []
    : values.map(({ path }) => path).filter((path) => named.has(path) && keysIn(files.get(path)).length > 0);
  return {
    unsetKeys: keys.filter(({ isOnlyRead }) => isOnlyRead).map(({ key }) => key),
    unusedKeys: [...definedKeys].filter((key) => !texts.some((text) => text.includes(key))),
    unloaded: loadersOf(loaded).some((word) => texts.some((text) => text.includes(word))) ? [] : loaded,
  };
}

interface DoctorFinding extends Finding {
  /** The file of the finding, relative to the root; absent if it concerns `svcm.yaml` or no file. */
  readonly file?: string;
}

export type DoctorRule = Rule<RepositoryState, DoctorFinding>;
