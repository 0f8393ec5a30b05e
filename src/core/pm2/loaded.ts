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
  /** Includes every required module. Imports of ES modules cannot be tracked. */
  readonly files: readonly string[];
  /** Variables that the file read and that svcm withheld, because they contain a secret. */
  readonly withheld: readonly string[];
}

export interface LoadedApp {
  readonly fields: Readonly<Record<string, Data>>;
  readonly keys: readonly string[];
  readonly unset: readonly string[];
  readonly places: AppPlaces;
  readonly start?: DeclaredStart;
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
