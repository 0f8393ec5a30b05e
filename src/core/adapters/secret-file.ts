import { SvcmError } from "../errors.ts";
import { FileError } from "../ports/index.ts";
import { attempting } from "./files/file-error.ts";
import { writeNew } from "./files/put-in-place.ts";

const PRIVATE_FILE = 0o600;

/** Writes a secret into a new file that only its user may read. @throws {SvcmError} INVALID_REQUEST if the file exists */
export async function keepSecret(path: string, text: string): Promise<void> {
  try {
    await attempting("create", path, () => writeNew(path, Buffer.from(text), PRIVATE_FILE));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new SvcmError("INVALID_REQUEST", {
      code: error.code,
      path,
      details: `${error.message} Accepted: a new file.`,
    });
  }
}
