export type Data = string | number | boolean | null | readonly Data[] | { readonly [key: string]: Data };

/** Contains values of `env`, so it never leaves the process. */
export interface LoadedEcosystem {
  readonly path: string;
  /** Without links; two paths of one file have the same. */
  readonly realPath: string;
  readonly apps: readonly LoadedApp[];
  /** The number of apps of the file that belong to other services. */
  readonly appsElsewhere?: number;
  /** `nothing` if the apps are in no place that PM2 reads. */
  readonly found: "apps" | "pm2" | "export" | "nothing";
  /** An ES module exports the apps as `default`, where PM2 does not look. */
  readonly isDefaultExport: boolean;
  /** Fields of an app that the export has beside its apps, where PM2 ignores them. */
  readonly beside?: readonly string[] | undefined;
  /** The same by file, if there are several. */
  readonly parts?:
    | readonly Pick<LoadedEcosystem, "path" | "found" | "isDefaultExport" | "beside" | "refusals">[]
    | undefined;
  /** Includes every required module. Imports of ES modules cannot be tracked. */
  readonly files: readonly string[];
  /** The file read the arguments of its process, where a name after `--env` would be. */
  readonly readsCommand?: boolean | undefined;
  /** Variables that the file read and that svcm withheld, because they contain a secret. */
  readonly withheld: readonly string[];
  /** Why PM2 refuses the file as a whole, in its words. Absent if it was not requested. */
  readonly refusals?: readonly string[] | undefined;
}

export interface LoadedApp {
  /** Variables that its file read and that have no value here. */
  readonly absent?: readonly string[] | undefined;
  readonly fields: Readonly<Record<string, Data>>;
  readonly keys: readonly string[];
  readonly unset: readonly string[];
  readonly places: AppPlaces;
  readonly start?: DeclaredStart;
  /** Present if PM2 starts the app under another name (`append_env_to_name`). */
  readonly nameInFile?: string;
  /** Absent if it was not requested. */
  readonly checks?: AppChecks | undefined;
  /** Variables that the file copies from the shell that reads it. Absent if it was not requested. */
  readonly inherited?: readonly string[] | undefined;
  /** Fields with another value in each run of the file; a variable is `env.NAME`. */
  readonly volatile?: readonly string[] | undefined;
}

/** Needs of an app on this machine, and what PM2 says about it. */
export interface AppChecks {
  /** Why PM2 refuses the app, in its words. Absent if no PM2 could be asked. */
  readonly refusals?: readonly string[] | undefined;
  /** The program that the first line of the script names; `""` without such a line. */
  readonly shebang: string;
  readonly isExecutable: boolean;
  /** Why a script that is a folder cannot be started; `null` for a file, too. */
  readonly folderProblem: string | null;
  readonly hasInterpreter: boolean;
  readonly commandLine: CommandLine | null;
  readonly logs: readonly UnusableLog[];
  readonly cpuQuota: number | null;
  readonly timeZone: string;
}

/** A script with a space, which PM2 passes to a shell. */
export interface CommandLine {
  /** The whole text is the path of a file, which the shell would split. */
  readonly isFile: boolean;
  /** The first word that the shell would run; `""` if only a shell can know. */
  readonly program: string;
  readonly hasProgram: boolean;
}

export interface UnusableLog {
  readonly field: string;
  readonly path: string;
  readonly reason: string;
}

export interface DeclaredStart {
  readonly service: string;
  readonly path: string;
  readonly env: string | undefined;
  readonly declaresCwd: boolean;
}

export interface AppPlaces {
  readonly folder: string;
  readonly cwd: string;
  readonly hasCwd: boolean;
  /** Absolute, even if it does not exist; `""` if the app has no script. */
  readonly script: string;
  readonly hasScript: boolean;
  readonly interpreter: string;
  readonly envFiles: readonly EnvFilePlace[];
}

export interface EnvFilePlace {
  readonly given: string;
  readonly path: string;
  readonly exists: boolean;
  readonly isOptional: boolean;
}

const ENDINGS = [".config.cjs", ".config.js", ".config.mjs", ".config.json", ".config.yaml", ".config.yml"] as const;

/** Messages use the first name if no file exists. */
export function ecosystemFileNames(environment: string): [string, ...string[]] {
  const [preferred, ...others] = ENDINGS.map((ending) => `ecosystem.${environment}${ending}`);
  return [preferred ?? "", ...others];
}

export type Pm2FileKind = "json" | "yaml" | "js" | "mjs";

const KINDS: readonly (readonly [string, Pm2FileKind])[] = [
  [".json", "json"],
  [".yml", "yaml"],
  [".yaml", "yaml"],
  [".config.js", "js"],
  [".config.cjs", "js"],
  [".config.mjs", "mjs"],
];

/** PM2 looks for each ending anywhere in the path, including folders. It runs any other file as a script. */
export function pm2FileKind(path: string): Pm2FileKind | undefined {
  return KINDS.find(([ending]) => path.includes(ending))?.[1];
}
