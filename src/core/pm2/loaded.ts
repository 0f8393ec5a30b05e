/** What a file that is read as code gave: plain data only, however the file made it. */
export type Data = string | number | boolean | null | readonly Data[] | { readonly [key: string]: Data };

/** An ecosystem file as it was run once. Holds values of `env`: it never leaves the process. */
export interface LoadedEcosystem {
  /** Absolute. */
  readonly path: string;
  readonly apps: readonly LoadedApp[];
  /** Where the apps stand in what the file exports; `nothing` where it has none in any of the places that PM2 knows. */
  readonly found: "apps" | "pm2" | "export" | "nothing";
  /** An ES module that exports them as `default`, where PM2 finds none. */
  readonly isDefaultExport: boolean;
  /** Absolute paths of what it was made of: itself and every module that it required, but for ES modules. */
  readonly files: readonly string[];
}

/** One entry of `apps`. */
export interface LoadedApp {
  /** The fields that PM2 reads, under the name that the file gives them. */
  readonly fields: Readonly<Record<string, Data>>;
  /** Every field name of the entry. */
  readonly keys: readonly string[];
  /** Variables of `env` that the file gives no value. */
  readonly unset: readonly string[];
  readonly places: AppPlaces;
  /** How `svcm.yaml` says that it is started: absolute path of its file, and the name after `--env`. */
  readonly start?: { readonly path: string; readonly env: string | undefined };
}

/** What the machine has for an app, looked up as PM2 would, with the repository root as current folder. */
export interface AppPlaces {
  /** Absolute. */
  readonly cwd: string;
  readonly hasCwd: boolean;
  /** Absolute path that PM2 would run; where there is none, the one that it would miss. `""` without a script. */
  readonly script: string;
  readonly hasScript: boolean;
  /** Name or path of the interpreter, `node` for PM2's own Node.js, `none` for a binary. */
  readonly interpreter: string;
  readonly envFiles: readonly EnvFilePlace[];
}

/** A file of `--env-file`, as Node would look for it. */
export interface EnvFilePlace {
  readonly given: string;
  readonly path: string;
  readonly exists: boolean;
  /** `--env-file-if-exists`. */
  readonly isOptional: boolean;
}
