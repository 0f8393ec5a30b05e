import type { HasRevisions } from "../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../project/port-repository.ts";
import type { LoadPurpose, HasEcosystems } from "../pm2/port-ecosystems.ts";
import { SvcmError } from "../api/errors.ts";
import { readEcosystem } from "../pm2/ecosystem-file.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";

import type { EnvironmentRequest } from "../project/resolve.ts";
import type { ProcessRecord } from "../pm2/process-record.ts";
import type { ExpectedApp } from "./expected.ts";

export interface RevisionContent {
  readonly commit: string;
  /** Paths are as in the work tree; `undefined` if the revision does not have the file. */
  readonly loaded: LoadedEcosystem | undefined;
}

/**
 * Runs the file together with the other files of its revision; the layout in `svcm.yaml` comes from the work tree.
 * @throws {SvcmError} REVISION_FAILED, NOT_FOUND, and the errors of `readEcosystem`
 */
export function readRevision(
  ports: HasEcosystems & HasFacts & HasRevisions & HasWorkspace,
  request: EnvironmentRequest,
  revision: string,
): Promise<RevisionContent> {
  const { ecosystems, revisions, workspace } = ports;
  const { root } = workspace;
  return revisions.withFiles(revision, async (folder, commit) => {
    const revisionPorts = {
      facts: ports.facts,
      workspace: { ...workspace, root: folder, pm2Dir: rebase(folder, root, workspace.pm2Dir) },
      ecosystems: {
        ...ecosystems,
        load: (path: string, cwd = folder, purpose?: LoadPurpose) => ecosystems.load(path, cwd, purpose),
      },
    };
    try {
      const { loaded } = await readEcosystem(revisionPorts, request);
      return { commit, loaded: loaded && (JSON.parse(toWorkTree(JSON.stringify(loaded))) as LoadedEcosystem) };
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      const { details = error.message, path, ...body } = error.body;
      const place = path === undefined ? {} : { path: toWorkTree(path) };
      throw new SvcmError(error.kind, { ...body, ...place, details: `At ${revision}: ${toWorkTree(details)}` });
    }

    function toWorkTree(text: string): string {
      return text.replaceAll(folder, () => root);
    }
  });
}

function rebase(folder: string, root: string, path: string): string {
  if (path === root || path.startsWith(`${root}/`)) return folder + path.slice(root.length);
  throw new SvcmError("INVALID_REQUEST", {
    details: `The ecosystem files are in ${path}, outside of the repository, so they have no revision. Accepted: a folder below ${root}.`,
  });
}

/** PM2's list after an apply to an empty PM2. */
export function simulateApply(expected: readonly ExpectedApp[]): ProcessRecord[] {
  return expected
    .flatMap((app) => Array.from({ length: app.instances }, () => app))
    .map((app, pmId) => ({
      pmId,
      name: app.name,
      uniqueId: null,
      pid: pmId + 1,
      namespace: app.namespace,
      status: "online",
      restartCount: 0,
      unstableRestarts: 0,
      startedAt: null,
      lastStartAt: null,
      createdAt: null,
      script: app.script,
      cwd: app.cwd,
      interpreter: app.interpreter,
      execMode: app.execMode,
      instances: app.instances,
      watching: app.watch,
      nodeVersion: null,
      version: null,
      exitCode: null,
      cronRestart: null,
      cpuPercent: null,
      memoryBytes: null,
      customMetrics: {},
      customMetricUnits: {},
      versioning: null,
      httpPort: app.httpPort,
      port: app.port ?? null,
      declaration: {
        argsDigest: app.argsDigest,
        interpreterArgsDigest: app.interpreterArgsDigest,
        // svcm starts processes with PM2_HOME; every other key comes from the declaration.
        environment: { ...app.environments[0], PM2_HOME: "" },
        settings: app.settings,
      },
    }));
}
