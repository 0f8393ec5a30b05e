import { SvcmError } from "../errors.ts";
import { readEcosystem } from "../pm2/ecosystem-file.ts";
import type { LoadedEcosystem } from "../pm2/loaded.ts";
import type { Ports } from "../ports/index.ts";
import type { EnvironmentRequest } from "../project/resolve.ts";

export interface RevisionContent {
  readonly commit: string;
  /** Paths are as in the work tree; `undefined` if the revision does not have the file. */
  readonly loaded: LoadedEcosystem | undefined;
}

/**
 * Runs the file together with the other files of its revision; the layout in `svcm.yaml` comes from the work tree.
 * @throws {SvcmError} REVISION_FAILED, NOT_FOUND, and the errors of `readEcosystem`
 */
export function readRevision(ports: Ports, asked: EnvironmentRequest, revision: string): Promise<RevisionContent> {
  const { ecosystems, revisions, workspace } = ports;
  const { root } = workspace;
  return revisions.withFiles(revision, async (folder, commit) => {
    const there = {
      facts: ports.facts,
      workspace: { ...workspace, root: folder, pm2Dir: movedTo(folder, root, workspace.pm2Dir) },
      ecosystems: {
        ...ecosystems,
        load: (path: string, cwd = folder) => ecosystems.load(path, cwd),
      },
    };
    try {
      const { loaded } = await readEcosystem(there, asked);
      return { commit, loaded: loaded && (JSON.parse(back(JSON.stringify(loaded))) as LoadedEcosystem) };
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      const { details = error.message, path, ...body } = error.body;
      const place = path === undefined ? {} : { path: back(path) };
      throw new SvcmError(error.kind, { ...body, ...place, details: `At ${revision}: ${back(details)}` });
    }

    function back(text: string): string {
      return text.replaceAll(folder, () => root);
    }
  });
}

function movedTo(folder: string, root: string, path: string): string {
  if (path === root || path.startsWith(`${root}/`)) return folder + path.slice(root.length);
  throw new SvcmError("INVALID_REQUEST", {
    details: `The ecosystem files are in ${path}, outside of the repository, so they have no revision. Accepted: a folder below ${root}.`,
  });
}
