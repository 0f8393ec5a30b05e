import { FileError, type HasFiles } from "../files/ports.ts";

import { decodeUtf8 } from "../words/utf8.ts";
import { digestEnvFile, type Digest, type Digests } from "./env-file-digests.ts";

/** `null` if the file does not exist, `undefined` if it cannot be read. */
export type EnvFileContents = ReadonlyMap<string, Digests | null | undefined>;

export async function readEnvFileContents(
  { files }: HasFiles,
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
