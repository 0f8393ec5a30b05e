import type { Agent, request } from "undici";
import type { AsyncContext, AsyncContextAnswer, AsyncContextClient } from "../ports/machine.ts";
import { errorCode } from "../words/thrown.ts";

const TIMEOUT_MS = 1000;
const MAX_BYTES = 256 * 1024;
/** With one socket, a second request would wait for the first. */
const CONNECTIONS = 1;

export const nodeAsyncContext: AsyncContext = {
  open: () => new UndiciClient(),
};

class UndiciClient implements AsyncContextClient {
  #agent: Promise<Undici> | undefined;

  async get(port: number): Promise<AsyncContextAnswer> {
    const { request: ask, agent } = await (this.#agent ??= openUndici());
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const { statusCode: status, body } = await ask(`http://127.0.0.1:${port}/async-context-metrics`, {
        dispatcher: agent,
        signal,
        headers: { accept: "application/json" },
      });
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        size += chunk.length;
        if (size > MAX_BYTES) return { kind: "too-large", status };
        chunks.push(chunk);
      }
      return { kind: "answer", status, text: Buffer.concat(chunks).toString("utf8") };
    } catch (error) {
      return signal.aborted ? { kind: "timeout" } : { kind: "unreachable", code: errorCode(error) };
    }
  }

  async close(): Promise<void> {
    const opened = await this.#agent;
    this.#agent = undefined;
    await opened?.agent.destroy();
  }
}

interface Undici {
  readonly request: typeof request;
  readonly agent: Agent;
}

async function openUndici(): Promise<Undici> {
  const undici = await import("undici");
  // The global agent may use a proxy from the environment.
  return { request: undici.request, agent: new undici.Agent({ connections: CONNECTIONS, pipelining: 1 }) };
}
