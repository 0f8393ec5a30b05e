/** Version 1 of the AMP protocol. */
const VERSION = 0x10;
const LENGTH_BYTES = 4;
const JSON_MARK = "j:";
const TEXT_MARK = "s:";

export interface Answer {
  readonly id: string;
  readonly value?: unknown;
  readonly error?: unknown;
}

export function encodeRequest(id: string, method: string, args: readonly unknown[]): Buffer {
  const texts = [`${JSON_MARK}${JSON.stringify({ type: "call", method, args })}`, `${TEXT_MARK}${id}`];
  const parts = texts.flatMap((text) => {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32BE(Buffer.byteLength(text));
    return [length, Buffer.from(text)];
  });
  return Buffer.concat([Buffer.of(VERSION + texts.length), ...parts]);
}

/** A list of ten thousand processes is 40 MB. */
export const MAX_ANSWER_BYTES = 64 * 2 ** 20;

export class AnswerTooLargeError extends Error {
  override readonly name = "AnswerTooLargeError";
}

export class AnswerReader {
  #chunks: Buffer[] = [];
  #size = 0;
  #needed = 1;

  /** @throws {AnswerTooLargeError} before the whole response has arrived; an error if the bytes are not a response */
  add(chunk: Buffer): Answer[] {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const answers: Answer[] = [];
    while (this.#size >= this.#needed) {
      const bytes = this.#join();
      const { parts, end } = splitParts(bytes);
      if (end > MAX_ANSWER_BYTES) throw new AnswerTooLargeError();
      if (parts === undefined) this.#needed = end;
      else {
        answers.push(decodeAnswer(parts));
        this.#startNext(bytes.subarray(end));
      }
    }
    return answers;
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    const bytes = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.#chunks = [bytes];
    return bytes;
  }

  #startNext(rest: Buffer): void {
    // A copy, because a slice would keep the memory of the whole list.
    this.#chunks = rest.length === 0 ? [] : [Buffer.from(rest)];
    this.#size = rest.length;
    this.#needed = 1;
  }
}

/** If the message is incomplete, `end` is the number of bytes that are needed next. */
function splitParts(bytes: Buffer): { readonly parts?: readonly Buffer[]; readonly end: number } {
  const count = (bytes[0] ?? 0) & 0x0f;
  const parts: Buffer[] = [];
  let at = 1;
  while (parts.length < count) {
    if (bytes.length < at + LENGTH_BYTES) return { end: at + LENGTH_BYTES };
    const end = at + LENGTH_BYTES + bytes.readUInt32BE(at);
    if (bytes.length < end) return { end };
    parts.push(bytes.subarray(at + LENGTH_BYTES, end));
    at = end;
  }
  return { parts, end: at };
}

function decodeAnswer([body, number]: readonly Buffer[]): Answer {
  const text = body?.toString("utf8", JSON_MARK.length) ?? "";
  const { args, error } = JSON.parse(text) as { readonly args?: readonly unknown[]; readonly error?: unknown };
  const id = number?.toString("utf8", TEXT_MARK.length) ?? "";
  return error === undefined ? { id, value: args?.[0] } : { id, error };
}
