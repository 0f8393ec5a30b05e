import { LinkFailure } from "./failure.ts";
import type { Answer, ReadCall } from "./protocol.ts";
import type { Pm2Reader, ReaderOptions } from "./worker/reader.ts";

/** The next question of the same command does not wait for a daemon that has just been silent. */
const SILENCE_MS = 3000;

export interface CommandReader {
  read(call: ReadCall, signal?: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

/** An aborted command does not wait for a daemon that is silent. */
export function commandReader(options: ReaderOptions): CommandReader {
  let reader: Pm2Reader | undefined;
  let silence: { readonly failure: LinkFailure; readonly atMs: number } | undefined;
  const close = async (): Promise<void> => reader?.close();
  const abort = (): void => void close();
  return {
    close,
    async read(call, signal) {
      const { Pm2Reader } = await import("./worker/reader.ts");
      reader ??= new Pm2Reader(options);
      signal?.throwIfAborted();
      if (silence !== undefined && performance.now() - silence.atMs < SILENCE_MS) throw silence.failure;
      signal?.addEventListener("abort", abort, { once: true });
      try {
        return await reader.answer(call);
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof LinkFailure && error.code === "PM2_TIMEOUT")
          silence = { failure: error, atMs: performance.now() };
        throw error;
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    },
  };
}
