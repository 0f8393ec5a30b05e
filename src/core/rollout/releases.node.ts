import { FileError } from "../files/ports.ts";
import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Release } from "../api/rollout.ts";
import { homeCode, SvcmError } from "../api/errors.ts";

import type { Releases } from "./ports.ts";
import { RELEASE_ID, type EnvFileCopy, type ReadEvent, type ReleaseEvent } from "./release.ts";
import { appendEvent, parseEvents } from "../files/append.ts";
import { readIfExists, systemCode } from "../files/system.ts";
import { errorMessage } from "../words/thrown.ts";
import { createFolder, PRIVATE_FILE, replacePrivate, writeNew } from "../files/write.ts";
import { ownerRecord, serviceFolder } from "../project/service-folder.node.ts";
import { fileLocks, lockedSince } from "../files/lock.ts";
import { deliveryFile } from "../files/private-files.ts";

export function nodeReleases(pm2Home: string, root: string): Releases {
  const ownFolder = join(pm2Home, "svcm");
  // A server may have begun before another project of its name claimed the folder.
  const repositoryFolder = (): string => serviceFolder(pm2Home, root);
  const folderOf = (): string => join(repositoryFolder(), "releases");
  const journalPath = (id: string): string => join(folderOf(), id, "journal.jsonl");
  const counts = new Map<Release["outcome"], number>();
  const claim = (): Promise<void> => withReleaseErrors(repositoryFolder(), () => claimFolder(pm2Home, root));
  return {
    ...lockMethods(ownFolder),
    ...environmentMethods(repositoryFolder, claim),
    counts: () => counts,
    claim,
    create: (id, first) =>
      withReleaseErrors(folderOf(), async () => {
        await claim();
        await createFolder(join(folderOf(), id));
        await appendEvent(journalPath(id), first);
      }),
    append: async (id, event) => {
      await withReleaseErrors(folderOf(), () => appendEvent(journalPath(id), event));
      if (event.event === "end") counts.set(event.outcome, (counts.get(event.outcome) ?? 0) + 1);
    },
    recordsFile: (id) => join(folderOf(), id, "before.json"),
    list: () =>
      withReleaseErrors(folderOf(), async () => {
        const folder = folderOf();
        const paths = (await listIds(folder)).map((id) => [journalPath(id), readPath(folder, id)]);
        const texts = await Promise.all(paths.map((one) => Promise.all(one.map((path) => readIfExists(path)))));
        const events = texts.map((own) =>
          own.flatMap((text) => parseEvents<ReleaseEvent>(text?.toString("utf8") ?? "")),
        );
        return events.filter(({ length }) => length > 0);
      }),
    prune: (keep, inUse) =>
      withReleaseErrors(folderOf(), async () => {
        const folder = folderOf();
        for (const id of (await listIds(folder)).slice(keep))
          if (!inUse.has(id)) await rm(join(folder, id), { recursive: true, force: true });
      }),
    ...envCopyMethods(folderOf),
  };
}

async function claimFolder(pm2Home: string, root: string): Promise<void> {
  const owner = ownerRecord(pm2Home, root);
  if (owner === undefined) return;
  const { path, text } = owner;
  await createFolder(dirname(path));
  await replacePrivate({ target: path, path, nonce: randomUUID() }, Buffer.from(text));
}

function lockMethods(ownFolder: string): Pick<Releases, "lockedSince" | "withLock"> {
  const path = join(ownFolder, "apply");
  return {
    lockedSince: () => withReleaseErrors(ownFolder, () => lockedSince(path)),
    withLock: async (timeoutMs, work, signal) => {
      await withReleaseErrors(ownFolder, () => createFolder(ownFolder));
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
function environmentMethods(folderOf: () => string, claim: Releases["claim"]): EnvironmentMethods {
  const pathOf = (): string => join(folderOf(), "environment");
  return {
    recordedEnvironment: () =>
      withReleaseErrors(
        pathOf(),
        async () => (await deliveryFile(pathOf()).read())?.trim().slice(0, MAX_NAME) || undefined,
      ),
    recordEnvironment: (environment) =>
      withReleaseErrors(pathOf(), async () => {
        await claim();
        await deliveryFile(pathOf()).change((_, save) => save(`${environment}\n`));
      }),
  };
}

const MAX_NAME = 80;

/** Beside the journal, because it is replaced: restarts have no limit. */
function readPath(folder: string, id: string): string {
  return join(folder, id, "read.json");
}

function envCopyMethods(folderOf: () => string): Pick<Releases, "copyEnvFiles" | "changedEnvFiles" | "recordRead"> {
  return {
    recordRead: (id, event) =>
      withReleaseErrors(folderOf(), async () => {
        const folder = folderOf();
        const path = readPath(folder, id);
        const file = deliveryFile(path);
        await file.change(async (text = "", save) => {
          await save(`${JSON.stringify(event)}\n`);
          // A later release needs what was recorded here before it began.
          if ((await listIds(folder))[0] !== id) return;
          const journal = (await readIfExists(join(folder, id, "journal.jsonl")))?.toString("utf8") ?? "";
          const needed = `${journal}${JSON.stringify(event)}`;
          const former = parseEvents<ReadEvent>(text).flatMap(({ apps }) => Object.values(apps));
          for (const { copy } of former.flatMap(({ envFiles }) => envFiles))
            if (!needed.includes(JSON.stringify(copy)) && copy.startsWith(`${id}/`))
              await rm(join(folder, copy), { force: true });
        });
      }),
    copyEnvFiles: (id, paths) =>
      withReleaseErrors(folderOf(), async () => {
        const folder = folderOf();
        const place = join(folder, id, "env");
        await createFolder(place);
        const taken = (await readdir(place)).map(Number);
        const first = Math.max(-1, ...taken.filter(Number.isInteger)) + 1;
        const copies: EnvFileCopy[] = [];
        for (const path of paths) {
          const bytes = await readIfExists(path);
          const copy = `${id}/env/${first + copies.length}`;
          if (bytes === undefined) continue;
          await writeNew(join(folder, copy), bytes, PRIVATE_FILE);
          copies.push({ path, copy });
        }
        return copies;
      }),
    changedEnvFiles: (copies) =>
      withReleaseErrors(folderOf(), async () => {
        const folder = folderOf();
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
  const code = systemCode(error);
  return new SvcmError("PM2_FAILED", {
    code: homeCode(code),
    path: folder,
    details: `The releases cannot be read or written (${code}): ${errorMessage(error)}`,
  });
}
