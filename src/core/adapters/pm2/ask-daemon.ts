import { connect } from "node:net";
import { AnswerReader, requestOf } from "./message.ts";

/**
 * The answer of PM2's daemon in time; `undefined` if it does not answer. It starts no worker, because a person waits for
 * completion and for logs.
 */
export function askDaemon(path: string, method: "getMonitorData" | "getVersion", patienceMs: number): Promise<unknown> {
  const socket = connect(path, () => socket.write(requestOf("0", method, [{}])));
  return new Promise((resolve) => {
    const reader = new AnswerReader();
    const end = (value?: unknown): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(value);
    };
    const late = setTimeout(end, patienceMs);
    socket.once("error", () => end());
    socket.once("close", () => end());
    socket.on("data", (piece) => {
      try {
        for (const { value } of reader.add(piece)) end(value);
      } catch {
        end();
      }
    });
  });
}
