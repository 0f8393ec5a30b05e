/** Static files are compressed by the build. */

import type { FastifyInstance } from "fastify";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Encoding, MetricsFormat } from "../core/index.ts";

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

/** Content negotiation: the formats and encodings that a client accepts. */

interface Accepted {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** 0 if the client refuses it. */
  readonly quality: number;
}

function parseAccept(header: string): Accepted[] {
  return header.split(",").map((range) => {
    const [name = "", ...rest] = range.split(";").map((part) => part.trim().toLowerCase());
    const parameters = Object.fromEntries(rest.map((part) => part.split("=", 2).map((text) => text.trim())));
    return { name, parameters, quality: Number(parameters["q"] ?? 1) || 0 };
  });
}

const encodings: readonly Encoding[] = ["br", "gzip"];

export function encodingFor(header: string | undefined): Encoding | undefined {
  if (header === undefined) return undefined;
  const qualities = new Map(parseAccept(header).map(({ name, quality }) => [name, quality]));
  const qualityOf = (encoding: Encoding): number => qualities.get(encoding) ?? qualities.get("*") ?? 0;
  const [best] = encodings.toSorted((a, b) => qualityOf(b) - qualityOf(a));
  return best !== undefined && qualityOf(best) > 0 ? best : undefined;
}

const OPEN_METRICS_VERSIONS = new Set(["", "0.0.1", "1.0.0"]);

/** As in Prometheus' client libraries: OpenMetrics if the client prefers it, otherwise the older text format. */
export function metricsFormat(header = ""): MetricsFormat {
  const [first] = parseAccept(header)
    .filter((accepted) => accepted.quality > 0 && (isOpenMetrics(accepted) || isText(accepted)))
    .toSorted((a, b) => b.quality - a.quality);
  return first !== undefined && isOpenMetrics(first) ? "openmetrics" : "prometheus";
}

function isOpenMetrics({ name, parameters }: Accepted): boolean {
  return name === "application/openmetrics-text" && OPEN_METRICS_VERSIONS.has(parameters["version"] ?? "");
}

function isText({ name, parameters }: Accepted): boolean {
  return name === "text/plain" && ["", "0.0.4"].includes(parameters["version"] ?? "");
}
