/** Static files are compressed by the build. */
import type { FastifyInstance } from "fastify";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Encoding } from "../core/index.ts";
import { encodingFor } from "./negotiation.ts";

/** Shorter texts gain nothing noticeable. */
export const MIN_COMPRESSED_BYTES = 1024;
/** Twice the bytes of the best level, in a tenth of the time. */
const BROTLI_QUALITY = 4;

const brotli = promisify<string, object, Buffer>(brotliCompress);
const zip = promisify<string, Buffer>(gzip);
const compressors: Record<Encoding, (text: string) => Promise<Buffer>> = {
  br: (text) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (text) => zip(text),
};

export function compressResponses(app: FastifyInstance): void {
  app.addHook("onSend", async ({ headers }, reply, payload) => {
    if (typeof payload !== "string" || payload === "") return payload;
    void reply.header("vary", "accept-encoding");
    if (Buffer.byteLength(payload) <= MIN_COMPRESSED_BYTES) return payload;
    const encoding = encodingFor(headers["accept-encoding"]);
    if (encoding === undefined) return payload;
    void reply.header("content-encoding", encoding).removeHeader("content-length");
    return await compressors[encoding](payload);
  });
}
