import { TerminalFileError } from "./errors.ts";

/** @throws {TerminalFileError} if it is larger than `maxBytes`, or cannot be read */
export async function readIn(maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    const { code = "EUNKNOWN", message } = error as NodeJS.ErrnoException;
    throw new TerminalFileError(code, "standard input", message);
  }
  if (length <= maxBytes) return Buffer.concat(chunks);
  throw new TerminalFileError("EFBIG", "standard input", `Standard input is larger than ${maxBytes} bytes.`);
}
