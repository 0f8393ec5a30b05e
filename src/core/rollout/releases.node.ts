import { FileError } from "../files/ports.ts";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Release } from "../api/rollout.ts";
import { SvcmError } from "../api/errors.ts";

import type { Releases } from "./port-releases.ts";
import { RELEASE_ID, type EnvFileCopy, type ReleaseEvent } from "./release.ts";
import { appendEvent, parseEvents } from "../files/append.ts";
import { readIfExists } from "../files/system.ts";
import { createFolder, PRIVATE_FILE, writeNew } from "../files/write.ts";
import { serviceName } from "../project/service-name.node.ts";
import { fileLocks, lockedSince } from "../files/lock.ts";
import { deliveryFile } from "../files/private-files.ts";

export function nodeReleases(pm2Home: string, root: string): Releases {
  const ownFolder = join(pm2Home, "svcm");
  const repositoryFolder = join(ownFolder, serviceName(root));
  const folder = join(repositoryFolder, "releases");
  const journalPath = (id: string): string => join(folder, id, "journal.jsonl");
  const counts = new Map<Release["outcome"], number>();
  return {
    ...lockMethods(ownFolder),
    ...environmentMethods(repositoryFolder),
    counts: () => counts,
    create: (id, first) =>
      withReleaseErrors(folder, async () => {
        await createFolder(join(folder, id));
        await appendEvent(journalPath(id), first);
      }),
    append: async (id, event) => {
      await withReleaseErrors(folder, () => appendEvent(journalPath(id), event));
      if (event.event === "end") counts.set(event.outcome, (counts.get(event.outcome) ?? 0) + 1);
    },
    recordsFile: (id) => join(folder, id, "before.json"),
    list: () =>
      withReleaseErrors(folder, async () => {
        const texts = (await listIds(folder)).map((id) => readIfExists(journalPath(id)));
        return (await Promise.all(texts))
          .map((text) => parseEvents<ReleaseEvent>(text?.toString("utf8") ?? ""))
          .filter(({ length }) => length > 0);
      }),
    prune: (keep, inUse) =>
      withReleaseErrors(folder, async () => {
        for (const id of (await listIds(folder)).slice(keep))
          if (!inUse.has(id)) await rm(join(folder, id), { recursive: true, force: true });
      }),
    ...envCopyMethods(folder),
  };
}

function lockMethods(ownFolder: string): Pick<Releases, "lockedSince" | "withLock"> {
  const path = join(ownFolder, "apply");
  return {
    lockedSince: () => withReleaseErrors(ownFolder, () => lockedSince(path)),
    withLock: async (timeoutMs, work, signal) => {
      await withReleaseErrors(ownFolder, () => mkdir(ownFolder, { recursive: true, mode: 0o700 }));
      try {
        return await fileLocks({ timeoutMs }).withLock({ target: path, path }, work, signal);
      } catch (error) {
        if (!(error instanceof FileError) || error.path !== path) throw error;
        if (error.code !== "ELOCKED") throw unusableError(ownFolder, error);
        throw new SvcmError("APPLY_LOCKED", { details: `Another apply or rollback runs: ${error.message}` });
      }
    },
  };
}

type EnvironmentMethods = Pick<Releases, "recordEnvironment" | "recordedEnvironment">;

/** Outside of the repository, because each machine has its own. */
function environmentMethods(folder: string): EnvironmentMethods {
  const path = join(folder, "environment");
  const file = deliveryFile(path);
  return {
    recordedEnvironment: () =>
      withReleaseErrors(path, async () => (await file.read())?.trim().slice(0, MAX_NAME) || undefined),
    recordEnvironment: (environment) =>
      withReleaseErrors(path, () => file.change((_, save) => save(`${environment}\n`))),
  };
}

const MAX_NAME = 80;

function envCopyMethods(folder: string): Pick<Releases, "copyEnvFiles" | "changedEnvFiles"> {
  return {
    copyEnvFiles: (id, paths) =>
      withReleaseErrors(folder, async () => {
        await createFolder(join(folder, id, "env"));
        const copies: EnvFileCopy[] = [];
        for (const path of paths) {
          const bytes = await readIfExists(path);
          const copy = `${id}/env/${copies.length}`;
          if (bytes === undefined) continue;
          await writeNew(join(folder, copy), bytes, PRIVATE_FILE);
          copies.push({ path, copy });
        }
        return copies;
      }),
    changedEnvFiles: (copies) =>
      withReleaseErrors(folder, async () => {
        const changed = new Map<string, string>();
        for (const { path, copy } of copies) {
          const [now, before] = [await readIfExists(path), await readIfExists(join(folder, copy))];
          if (before !== undefined && now?.equals(before) !== true) changed.set(path, join(folder, copy));
        }
        return changed;
      }),
  };
}

async function listIds(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  });
  return names.filter((name) => RELEASE_ID.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
}

async function withReleaseErrors<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw unusableError(folder, error);
  }
}

function unusableError(folder: string, error: unknown): SvcmError {
  const { code = "EUNKNOWN", message } = error as NodeJS.ErrnoException;
  return new SvcmError("PM2_FAILED", {
    code: "PM2_HOME_UNUSABLE",
    path: folder,
    details: `The releases cannot be read or written (${code}): ${message}`,
  });
}
