import type { CapabilityMatrix, RuntimeContract } from "../api/facts.ts";

import type { FolderVariables } from "./folder-variables.ts";
import type { Project } from "./project.ts";

/** The folders and files of a repository, as absolute paths. @see CONTRACT section 2b */
export interface Workspace {
  readonly root: string;
  /**
   * The flag, variable or marker file that determined the root. `undefined` if the root is simply the current folder.
   */
  readonly rootSource: string | undefined;
  /** Of a release that svcm deployed: the root in the checkout from which it was made. */
  readonly checkout?: string;
  readonly configDir: string;
  readonly pm2Dir: string;
  readonly folderVariables: FolderVariables;
  /** Of audit, history and tokens: `.svcm` in the root, or elsewhere if a write there would restart an app. */
  readonly stateFolder: string;
  readonly auditFile: string;
  readonly pm2Home: string;
  /** The variable or file that sets it; `undefined` for the default. */
  readonly pm2HomeSource: string | undefined;
  /** svcm has recorded something of this service in PM2_HOME, such as a release. */
  readonly hasRecords: boolean;
  /** `NODE_ENV`: the default environment of a request. */
  readonly nodeEnv: string | undefined;
}

export interface Facts {
  /** The content of `svcm.yaml`, if the file exists. @throws {SvcmError} FACT_INVALID with every issue */
  project(): Promise<Project | undefined>;
  runtimeContract(): Promise<RuntimeContract>;
  capabilityMatrix(): Promise<CapabilityMatrix>;
}

export interface HasWorkspace {
  readonly workspace: Workspace;
}

export interface HasFacts {
  readonly facts: Facts;
}
