import { FileError, type HasFiles } from "../files/port-files.ts";
import type { Attempt } from "./with-audit.ts";

export interface FileEdit<P> {
  /** Turns bytes into text, or refuses them. */
  readonly decode: (current: Uint8Array) => string;
  /** Makes the new text of the current one. It may run again, so it has no effects. */
  readonly plan: (text: string) => P;
  /** It begins before the first byte is written. Without an attempt, the edit is a preview and writes nothing. */
  readonly attempt: Attempt | undefined;
  /** A missing file counts as an empty one, and is created. */
  readonly mayCreate?: boolean;
}

export interface EditedFile<P> {
  readonly planned: P;
  /** As the file is now. */
  readonly bytes: Uint8Array;
  readonly created: boolean;
}

/**
 * Reads under a lock, plans, and writes if the plan has another text.
 * @throws {FileError} the codes of `Files.replace` and `Files.create`. Errors of the functions pass through.
 */
export async function editFile<P extends { readonly text: string }>(
  { files }: HasFiles,
  path: string,
  { decode, plan, attempt, mayCreate = false }: FileEdit<P>,
): Promise<EditedFile<P>> {
  const change = async (): Promise<EditedFile<P>> => {
    let planned: P | undefined;
    const decide = (current: Uint8Array): Uint8Array | undefined => {
      const text = decode(current);
      planned = plan(text);
      return planned.text === text ? undefined : new TextEncoder().encode(planned.text);
    };
    const bytes = attempt === undefined ? await files.read(path) : await files.replace(path, decide, attempt.begin);
    return { planned: planned ?? plan(decode(bytes)), bytes, created: false };
  };
  try {
    return await change();
  } catch (error) {
    if (!mayCreate || !hasCode(error, "ENOENT")) throw error;
  }
  const planned = plan(decode(new Uint8Array()));
  const bytes = new TextEncoder().encode(planned.text);
  try {
    if (attempt !== undefined) await files.create(path, bytes, attempt.begin);
    return { planned, bytes, created: true };
  } catch (error) {
    // Another process has created it.
    if (!hasCode(error, "EEXIST")) throw error;
    return await change();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof FileError && error.code === code;
}
