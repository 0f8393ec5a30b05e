import type { FastifyRequest, RouteHandlerMethod } from "fastify";
import { SvcmError, type Identity, type Ports } from "../core/index.ts";
import type { Fleet } from "./fleet.ts";

/** Loaded at the first request of a program. */
export type OpenMcp = (ports: Ports, log: (line: string) => void, askNode: Fleet["askAs"]) => Promise<McpFace>;

interface McpFace {
  fetch(request: Request, identity: Identity): Promise<Response>;
  close(): Promise<void>;
}

export class Mcp {
  readonly #open: (() => Promise<McpFace>) | undefined;
  #face: Promise<McpFace> | undefined;

  constructor(open: (() => Promise<McpFace>) | undefined) {
    this.#open = open;
  }

  /** @throws {SvcmError} NOT_FOUND if this server does not speak the protocol */
  async fetch(request: Request, identity: Identity): Promise<Response> {
    this.#face ??= this.#open?.();
    if (this.#face === undefined) throw new SvcmError("NOT_FOUND");
    return await (await this.#face).fetch(request, identity);
  }

  async close(): Promise<void> {
    await (await this.#face)?.close();
  }
}

export function mcpHandler(mcp: Mcp): RouteHandlerMethod {
  return async (request, reply) => {
    const response = await mcp.fetch(toWebRequest(request), request.identity);
    const type = response.headers.get("content-type");
    void reply.code(response.status).headers({ "cache-control": "no-store", "x-content-type-options": "nosniff" });
    if (type !== null) void reply.type(type);
    return await response.text();
  };
}

/** Headers that the protocol reads. The token stays here. */
const HEADERS = /^(?:accept|content-type|last-event-id|mcp-[\w-]+)$/;

function toWebRequest({ headers, body }: FastifyRequest): Request {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    HEADERS.test(name) && typeof value === "string" ? [[name, value]] : [],
  );
  const bytes = body instanceof Uint8Array ? new Uint8Array(body) : new Uint8Array();
  // The protocol does not read the address.
  return new Request("http://localhost/mcp", { method: "POST", headers: kept, body: bytes });
}
