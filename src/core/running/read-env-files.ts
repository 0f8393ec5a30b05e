import { FileError, type Ports } from "../ports/index.ts";
import { decodeUtf8 } from "../words/utf8.ts";
import { CLOCK_TOLERANCE_MS } from "./env-file-changes.ts";
import { digestEnvFile, type Digest, type Digests } from "./env-file-digests.ts";

/** `null` if the file does not exist, `undefined` if it cannot be read. */
export type EnvFileContents = ReadonlyMap<string, Digests | null | undefined>;

export async function readEnvFileContents(
  { files }: Pick<Ports, "files">,
  paths: Iterable<string>,
  digest: Digest,
): Promise<EnvFileContents> {
  const read = async (path: string): Promise<Digests | null | undefined> => {
    try {
      const text = decodeUtf8(await files.read(path, { mayBeOutside: true }));
      return text === undefined ? undefined : digestEnvFile(text, digest);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      return error.code === "ENOENT" ? null : undefined;
    }
  };
  return new Map(await Promise.all([...new Set(paths)].map(async (path) => [path, await read(path)] as const)));
}

/**
 * For the record of a start: what an app that starts now, or that started when these files had their present content,
 * reads. A file that does not exist declares nothing. A file that cannot be read, or that has changed since, is left
 * out, so that what the app read stays unknown.
 * @param startedAt absent for an app that starts now
 */
export async function readEnvFilesAtStart(
  ports: Pick<Ports, "files" | "stamps">,
  paths: readonly string[],
  digest: Digest,
  startedAt = Number.POSITIVE_INFINITY,
): Promise<Readonly<Record<string, Digests>>> {
  const contents = await readEnvFileContents(ports, paths, digest);
  const stamps = ports.stamps.read(paths);
  const isSettled = (index: number): boolean => (stamps[index]?.changedMs ?? 0) <= startedAt - CLOCK_TOLERANCE_MS;
  return Object.fromEntries(
    paths.flatMap((path, index) => {
      const content = contents.get(path);
      // Nothing tells when a file was deleted.
      const isKnown = content !== undefined && (content !== null || startedAt === Number.POSITIVE_INFINITY);
      return isKnown && isSettled(index) ? [[path, content ?? {}]] : [];
    }),
  );
}
