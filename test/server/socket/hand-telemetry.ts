import { EventEmitter, once } from "node:events";
import { frameExamples } from "../../../src/core/api/frame-examples.ts";
import { SvcmError, type Ports, type Sample, type Telemetry } from "../../../src/core/index.ts";

/** Telemetry with samples from the test. */
export interface ManualTelemetry extends Telemetry {
  /** Sends a sample to every watcher immediately. */
  give(sample: Sample): void;
  /** The watched environments with the interval of each. */
  readonly watched: string[];
  /** Resolves when there is this number of watchers. */
  watchers(count: number): Promise<void>;
  /** Resolves when exactly these environments are watched. */
  watching(names: readonly string[]): Promise<void>;
}

const accepted = ["dev", "development", "staging"];

/** @param options `accepts`: the environments that may be watched */
export function manualTelemetry(options: { readonly accepts?: readonly string[] } = {}): ManualTelemetry {
  const { accepts = accepted } = options;
  const changes = new EventEmitter().setMaxListeners(0);
  const watched: string[] = [];
  return {
    watched,
    give: (given) => void changes.emit("sample", given),
    async watchers(count) {
      while (watched.length !== count) await once(changes, "watch");
    },
    async watching(names) {
      while (watched.join() !== names.join()) await once(changes, "watch");
    },
    async environment({ environment: name = "dev" }) {
      const environment = name.trim().toLowerCase();
      if (accepts.includes(environment)) return environment;
      throw new SvcmError("INVALID_ENVIRONMENT", { details: `Unsupported. Accepted: ${accepts.join(", ")}.` });
    },
    async *watch({ environment, intervalMs, asyncContext }, signal) {
      const name = `${environment} ${intervalMs}${asyncContext ? " asyncContext" : ""}`;
      watched.push(name);
      changes.emit("watch");
      const queue: Sample[] = [];
      const wake = new EventEmitter();
      const onSample = (given: Sample): void => {
        queue.push(given);
        wake.emit("sample");
      };
      changes.on("sample", onSample);
      signal.addEventListener("abort", () => wake.emit("sample"), { once: true });
      try {
        while (!signal.aborted) {
          const next = queue.shift();
          if (next !== undefined) yield next;
          else await once(wake, "sample");
        }
      } finally {
        changes.off("sample", onSample);
        watched.splice(watched.indexOf(name), 1);
        changes.emit("watch");
      }
    },
    collect: () => Promise.reject(new Error("not asked for")),
    refresh: () => undefined,
    cost: () => ({ samples: 0, listCalls: 0 }),
    close: async () => undefined,
  };
}

export function withTelemetry(telemetry: Telemetry): (ports: Ports) => Ports {
  return (ports) => ({ ...ports, telemetry });
}

const [{ payload }] = frameExamples.metrics as [(typeof frameExamples.metrics)[number]];

/** A sample of about the given size in bytes; `count` distinguishes samples. */
export function sample(count = 0, bytes = 0): Sample & { readonly kind: "metrics" } {
  const [process] = payload.processes;
  if (process === undefined) throw new Error("the example has no process");
  const collectedAt = new Date(count).toISOString();
  const processes = [{ ...process, script: "x".repeat(bytes) }];
  return { kind: "metrics", payload: { ...payload, collectedAt, processes } };
}

export const hostSample: Sample = {
  kind: "host",
  payload: frameExamples.host[0]!.payload,
  error: { code: "PM2_NOT_RUNNING", details: "No PM2 daemon runs." },
};
