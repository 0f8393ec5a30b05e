import { connect } from "node:net";

/** Version 1 of the AMP protocol, and two parts: a request or an answer as JSON, and the text that joins them. */
const HEAD = 0x12;
const LENGTH_BYTES = 4;
/** Marks JSON. */
const KIND = "j:";
const REQUEST_ID = "1:0";

/**
 * The answer of PM2's daemon in time; `undefined` if it does not answer. It loads nothing of PM2 and starts no worker, because a
 * person waits for completion and for logs.
 */
export function askDaemon(path: string, method: "getMonitorData" | "getVersion", patienceMs: number): Promise<unknown> {
  const socket = connect(path, () => socket.write(requestOf(method)));
  return new Promise((resolve) => {
    const answer = new Answer();
    const end = (value?: unknown): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(value);
    };
    const late = setTimeout(end, patienceMs);
    socket.once("error", () => end());
    socket.once("close", () => end());
    socket.on("data", (part) => answer.add(part) && end(answer.value));
  });
}

/** The first part of a message, which comes in pieces. */
class Answer {
  readonly #pieces: Buffer[] = [];
  #size = 0;
  #needed = 1 + LENGTH_BYTES;
  #hasLength = false;

  /** @returns whether it is whole */
  add(piece: Buffer): boolean {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.#size < this.#needed) return false;
    if (this.#hasLength) return true;
    this.#hasLength = true;
    this.#needed += Buffer.concat(this.#pieces).readUInt32BE(1);
    return this.#size >= this.#needed;
  }

  /** `undefined` if the daemon refused. */
  get value(): unknown {
    const bytes = Buffer.concat(this.#pieces);
    const text = bytes.toString("utf8", 1 + LENGTH_BYTES + KIND.length, this.#needed);
    try {
      return (JSON.parse(text) as { readonly args?: readonly unknown[] }).args?.[0];
    } catch {
      return undefined;
    }
  }
}

function requestOf(method: string): Buffer {
  const texts = [`${KIND}${JSON.stringify({ type: "call", method, args: [{}] })}`, `s:${REQUEST_ID}`];
  return Buffer.concat([
    Buffer.of(HEAD),
    ...texts.flatMap((text) => {
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32BE(Buffer.byteLength(text));
      return [length, Buffer.from(text)];
    }),
  ]);
}
