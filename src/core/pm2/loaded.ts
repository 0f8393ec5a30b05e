export type Data = string | number | boolean | null | readonly Data[] | { readonly [key: string]: Data };

/** The result of running an ecosystem file once. It contains values of `env`, so it never leaves the process. */
export interface LoadedEcosystem {
  readonly path: string;
  readonly apps: readonly LoadedApp[];
  /** The place of the apps in the export; `nothing` if they are in no place that PM2 reads. */
  readonly found: "apps" | "pm2" | "export" | "nothing";
  /** True if an ES module exports the apps as `default`, where PM2 does not look. */
  readonly isDefaultExport: boolean;
  /** Absolute paths of the file and of every module that it required. Imports of ES modules cannot be tracked. */
  readonly files: readonly string[];
  /** Names of variables that the file read and that svcm withheld, because they contain a secret. */
  readonly withheld: readonly string[];
}

export interface LoadedApp {
  /** The fields that PM2 reads, under the names used in the file. */
  readonly fields: Readonly<Record<string, Data>>;
  readonly keys: readonly string[];
  /** Variables of `env` without a value. */
  readonly unset: readonly string[];
  readonly places: AppPlaces;
  readonly start?: DeclaredStart;
}

/** The way in which an app that `svcm.yaml` declares is started. */
export interface DeclaredStart {
  readonly service: string;
  /** Absolute path of the file. */
  readonly path: string;
  /** The name after `--env`. */
  readonly env: string | undefined;
  readonly declaresCwd: boolean;
}

export interface AppPlaces {
  /** The folder in which PM2 is run with the file. */
  readonly folder: string;
  readonly cwd: string;
  readonly hasCwd: boolean;
  /** Absolute path of the script, even if it does not exist; `""` if the app has no script. */
  readonly script: string;
  readonly hasScript: boolean;
  readonly interpreter: string;
  readonly envFiles: readonly EnvFilePlace[];
}

/** A file named with `--env-file`, resolved as Node.js does. */
export interface EnvFilePlace {
  readonly given: string;
  readonly path: string;
  readonly exists: boolean;
  readonly isOptional: boolean;
}
