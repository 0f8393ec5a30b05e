import type { HasWorkspace } from "../../project/port-repository.ts";
import type { Pm2Daemon, ServiceAddress, HasInstallation } from "../port-installation.ts";
import type { FoundPm2 } from "../../pm2/port-daemons.ts";
import type { Vocabulary } from "../../deployments/vocabulary.ts";

import { keySource, type KeySource } from "../../project/facts/own-contract.ts";
import type { Project } from "../../project/project.ts";
import type { ConfiguredFile } from "./examine.ts";

/** For a bug report. Contains no value of a key and no token. */
export interface DoctorFacts {
  readonly svcm: string;
  readonly node: string;
  readonly platform: string;
  readonly user: string;
  readonly root: string;
  readonly rootBy: string | null;
  readonly pm2Version: string | null;
  /** The code that svcm loads for what needs PM2's own. */
  readonly pm2: FoundPm2;
  readonly pm2Home: string;
  readonly pm2HomeBy: string | null;
  /** Null if no daemon is listening; absent with `offline`. */
  readonly daemon?: Pm2Daemon | null;
  readonly contract: { readonly source: KeySource; readonly keys: number; readonly guesses: number } | null;
  readonly defaultEnvironment: string | null;
  /** Null with a `svcm.yaml`, which names each file. */
  readonly folders: { readonly env: string; readonly ecosystem: string } | null;
  readonly files: readonly ConfiguredFile[];
  readonly service?: ServiceAddress;
  readonly hasToken: boolean;
  readonly auditFile: string;
}

interface FactSources {
  readonly pm2: FoundPm2;
  readonly version: string;
  readonly project: Project | undefined;
  readonly vocabulary: Vocabulary | undefined;
  readonly places: readonly ConfiguredFile[];
  readonly runtime: { readonly daemon: Pm2Daemon | null; readonly service: ServiceAddress } | undefined;
}

export function collectFacts(
  { workspace, installation }: HasInstallation & HasWorkspace,
  sources: FactSources,
): DoctorFacts {
  const { project, vocabulary, places, runtime, version, pm2 } = sources;
  const { root, rootSource: rootBy = null, pm2Home, pm2HomeSource: pm2HomeBy = null, auditFile } = workspace;
  const { node, platform, user, pm2Version, hasToken } = installation;
  const contract = vocabulary && {
    source: keySource(vocabulary.contract, project),
    keys: Object.keys(vocabulary.contract.keys).length,
    guesses: Object.keys(project?.guesses ?? {}).length,
  };
  return {
    svcm: version,
    node,
    platform,
    user,
    root,
    rootBy,
    pm2Version,
    pm2,
    pm2Home,
    pm2HomeBy,
    contract: contract ?? null,
    defaultEnvironment: project?.hasDefault === false ? null : (vocabulary?.contract.defaultEnvironment ?? null),
    folders: project ? null : { env: workspace.configDir, ecosystem: workspace.pm2Dir },
    files: places,
    hasToken,
    auditFile,
    ...runtime,
  };
}
