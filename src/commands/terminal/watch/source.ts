import { connect, type Client, type ConnectionState, type WatchFrame } from "../../../client/index.ts";
import { foreignCode } from "../../../core/api/issue.ts";
import type { ChannelAction } from "../../../core/api/names.ts";
import {
  commandLineCaller,
  execute,
  processAct,
  processShow,
  type LogLine,
  type Ports,
  type ProcessShowResponse,
  type Sample,
} from "../../../core/index.ts";
import { processPage } from "../process-page.ts";
import type { Target } from "./state.ts";

/** The first part has `begin` and replaces all earlier lines. */
interface LogChunk {
  readonly lines: readonly LogLine[];
  readonly begin?: object | undefined;
}

export interface WatchSource {
  readonly origin: string;
  samples(intervalMs: number, signal: AbortSignal): AsyncIterable<Sample>;
  /** @throws an error with a readable message */
  details(target: Target): Promise<readonly string[]>;
  /** Yields the last lines first. @throws an error with a readable message */
  log(target: Target, tail: number, signal: AbortSignal): AsyncIterable<LogChunk>;
  /** @throws an error with a readable message */
  act(action: ChannelAction, target: Target): Promise<void>;
  close(): Promise<void>;
}

export function localSource(ports: Ports, selection: Pick<RemoteOptions, "environment" | "service">): WatchSource {
  return {
    origin: "this machine",
    samples: (intervalMs, signal) => ports.telemetry.watch({ ...selection, intervalMs, asyncContext: false }, signal),
    async details({ name }) {
      return processPage(await execute(processShow, ports, { name, ...selection }, commandLineCaller()));
    },
    log: ({ name }, tail, signal) => ports.logs.watch({ app: name, tail, isLossless: false }, signal),
    async act(action, { pmId }) {
      try {
        await execute(processAct, ports, { action, pmId }, commandLineCaller());
      } finally {
        ports.telemetry.refresh();
      }
    },
    async close() {
      await ports.telemetry.close();
      await ports.processes.close();
    },
  };
}

export interface RemoteOptions {
  readonly url: string;
  readonly environment: string | undefined;
  readonly service: string | undefined;
  readonly token: string | undefined;
  readonly onState: (state: ConnectionState) => void;
  readonly onRetry: (reason: string) => void;
}

/** @throws {TypeError} if `url` is not a URL */
export async function remoteSource({
  url,
  environment,
  service,
  token,
  onState,
  onRetry,
}: RemoteOptions): Promise<WatchSource> {
  const { WebSocket } = await import("ws");
  const client: Client = connect({ url, token, WebSocket, onState, onRetry });
  return {
    origin: new URL(url).host,
    samples: (intervalMs, signal) =>
      toSamples(client.watch({ environment, service, intervalMs, history: false, signal })),
    async details({ name }) {
      return processPage(await fetchProcess({ url, token, environment, service }, name));
    },
    log: ({ name }, tail, signal) => client.logs({ apps: [name], tail, signal }),
    async act(action, { pmId }) {
      const { ok, error } = await client.act({ action, pmId });
      if (!ok) throw new Error(error ?? "The action failed.");
    },
    async close() {
      client.close();
    },
  };
}

/** @throws an error with the message of the service */
async function fetchProcess(
  { url, token, environment, service }: Pick<RemoteOptions, "url" | "token" | "environment" | "service">,
  name: string,
): Promise<ProcessShowResponse> {
  const base = url.endsWith("/") ? url : `${url}/`;
  const address = new URL("api/runtime/process", base);
  for (const [key, value] of Object.entries({ name, environment, service })) {
    if (value !== undefined) address.searchParams.set(key, value);
  }
  const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` };
  const response = await fetch(address, { ...(headers && { headers }), redirect: "error" });
  const body = (await response.json()) as ProcessShowResponse & { readonly error?: string; readonly details?: string };
  if (!response.ok) throw new Error(body.details ?? body.error ?? `HTTP ${response.status}`);
  return body;
}

/** If PM2 cannot be read, the frame with the host comes before the frame with the reason. */
async function* toSamples(frames: AsyncIterable<WatchFrame>): AsyncIterable<Sample> {
  let host: Extract<WatchFrame, { type: "host" }>["payload"] | undefined;
  for await (const frame of frames) {
    if (frame.type === "metrics") yield { kind: "metrics", payload: frame.payload };
    else if (frame.type === "host") host = frame.payload;
    else if (frame.type === "error" && host !== undefined) {
      yield { kind: "host", payload: host, error: { code: foreignCode(frame.code), details: frame.details } };
      host = undefined;
    }
  }
}
