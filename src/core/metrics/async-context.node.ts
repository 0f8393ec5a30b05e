import type { AsyncContext, AsyncContextResult, AsyncContextClient } from "./telemetry.ts";
import type { Agent, request } from "undici";

import { errorCode } from "../words/thrown.ts";
import { readBody } from "../files/read-body.ts";

const TIMEOUT_MS = 1000;
const MAX_BYTES = 256 * 1024;
/** With one socket, a second request would wait for the first. */
const CONNECTIONS = 1;

export const nodeAsyncContext: AsyncContext = {
  open: () => new UndiciClient(),
};

class UndiciClient implements AsyncContextClient {
  #agent: Promise<Undici> | undefined;

  async get(port: number): Promise<AsyncContextResult> {
    const { request: send, agent } = await (this.#agent ??= loadUndici());
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const { statusCode: status, body } = await send(`http://127.0.0.1:${port}/async-context-metrics`, {
        dispatcher: agent,
        signal,
        headers: { accept: "application/json" },
      });
      const text = await readBody(body as AsyncIterable<Uint8Array>, MAX_BYTES);
      return text === undefined ? { kind: "too-large", status } : { kind: "answer", status, text };
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

async function loadUndici(): Promise<Undici> {
  const undici = await import("undici");
  // The global agent may use a proxy from the environment.
  return { request: undici.request, agent: new undici.Agent({ connections: CONNECTIONS, pipelining: 1 }) };
}
