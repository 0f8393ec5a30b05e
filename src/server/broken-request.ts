import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { SvcmError } from "../core/index.ts";
import { failureAnswer, type FailureAnswer } from "./answer.ts";
import type { Connections } from "./connections.ts";
import type { Limits } from "./limits.ts";
import type { ServerLog } from "./log.ts";

/**
 * Handles connections that never become a request: bytes that are not HTTP, or headers that are too large or too slow.
 */
export function brokenRequestHandler(connections: Connections, limits: Limits, log: ServerLog) {
  return (error: NodeJS.ErrnoException, socket: Socket): void => {
    const isGone = error.code === "ECONNRESET" || !socket.writable;
    // Browsers open connections in advance and may never use them.
    const isUnused = socket.bytesRead === 0;
    if (isGone || isUnused || connections.isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const refusal = parserRefusal(error.code, limits);
    const answer = failureAnswer(refusal);
    log.warn({ status: answer.status, code: refusal.kind }, "broken request");
    socket.write(rawResponse(answer));
    socket.destroySoon();
  };
}

function parserRefusal(code: string | undefined, limits: Limits): SvcmError {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new SvcmError("REQUEST_TIMEOUT", { details: "The request did not arrive in time." });
    case "HPE_HEADER_OVERFLOW":
      return new SvcmError("HEADERS_TOO_LARGE", { details: `Accepted: at most ${limits.maxHeaderBytes} bytes.` });
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new SvcmError("PAYLOAD_TOO_LARGE", { details: "Accepted: chunks without extensions." });
    default:
      return new SvcmError("INVALID_REQUEST", { details: "The request is not well-formed HTTP." });
  }
}

function rawResponse({ status, headers, text }: FailureAnswer): string {
  const all = { ...headers, "content-length": String(Buffer.byteLength(text)), connection: "close" };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`;
}
