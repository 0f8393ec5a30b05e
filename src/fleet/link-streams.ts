import { SvcmError } from "../core/index.ts";
import type { StreamApi } from "./link-api.ts";
import type { StreamSettings } from "./settings.ts";
import {
  EVENTS_STREAM,
  eventSubject,
  NODES_STREAM,
  presenceSubject,
  rolloutStream,
  rolloutSubject,
} from "./subjects.ts";

/** Counted from the last heartbeat of the node. */
export const PRESENCE_TTL_MS = 30_000;
const NANOS_PER_MS = 1_000_000;
const KIB = 1024;
/** Of a message with its headers. */
export const MAX_RECORD_BYTES = 8 * KIB;
/** A rollout over 1,000 nodes has 120 KiB; a message of NATS has at most 1 MiB. */
const MAX_ROLLOUT_BYTES = 1024 * KIB;
/** The newest valid record counts, so what a user writes after it hides nothing. */
const ROLLOUT_RECORDS = 8;

export type SetUpOutcome = "created" | "changed" | "unchanged";

type StreamDefinition = Readonly<Record<string, unknown>> & { readonly name: string };

/** @throws {SvcmError} FLEET_FAILED; FORBIDDEN if the user is not an admin */
export async function setUpStreams(api: StreamApi, settings: StreamSettings): Promise<SetUpOutcome> {
  const outcomes: SetUpOutcome[] = [];
  for (const definition of defineStreams(settings)) {
    const existing = await api.info(definition.name);
    const changed = existing === undefined ? [] : differences(definition, existing.config);
    if (existing === undefined) await api.define("CREATE", definition);
    else if (changed.length > 0) await api.define("UPDATE", { ...existing.config, ...definition });
    outcomes.push(existing === undefined ? "created" : changed.length > 0 ? "changed" : "unchanged");
  }
  return (["created", "changed"] as const).find((one) => outcomes.includes(one)) ?? "unchanged";
}

/** @returns a sentence for each stream that is missing or has other settings */
export async function listStreamProblems(api: StreamApi, settings: StreamSettings): Promise<string[]> {
  const problems = await Promise.all(
    defineStreams(settings).map(async (definition) => {
      const existing = await api.info(definition.name);
      if (existing === undefined) return [`The stream ${definition.name} is missing.`];
      const changed = differences(definition, existing.config);
      return changed.length === 0 ? [] : [`The stream ${definition.name} has another ${changed.join(", ")}.`];
    }),
  );
  return problems.flat();
}

/** With another value of these, a key could change or hide what others have written. A missing stream is safe. */
const PROTECTIVE: ReadonlySet<string> = new Set([
  "subjects",
  "deny_delete",
  "deny_purge",
  "allow_direct",
  "allow_rollup_hdrs",
  "max_msg_size",
]);
const FORBIDDEN = ["republish", "mirror", "sources", "subject_transform", "allow_msg_ttl", "allow_msg_schedules"];

/** @throws {SvcmError} FLEET_FAILED with NATS_SETTINGS */
export async function requireSafeStreams(api: StreamApi, settings: StreamSettings): Promise<void> {
  for (const definition of defineStreams(settings)) {
    const { config } = (await api.info(definition.name)) ?? {};
    if (config === undefined) continue;
    const wrong = differences(definition, config).filter((one) => PROTECTIVE.has(one) || FORBIDDEN.includes(one));
    if (wrong.length > 0)
      throw new SvcmError("FLEET_FAILED", {
        code: "NATS_SETTINGS",
        details: `The stream ${definition.name} of the NATS server is not safe: it has another ${wrong.join(", ")}. Accepted: the settings of svcm nats setup, which an admin runs.`,
      });
  }
}

function differences(definition: StreamDefinition, config: Readonly<Record<string, unknown>>): string[] {
  const changed = Object.entries(definition).filter(
    ([name, value]) => JSON.stringify(config[name]) !== JSON.stringify(value),
  );
  return [...changed.map(([name]) => name), ...FORBIDDEN.filter((name) => Boolean(config[name]))];
}

const SAFE_SETTINGS = {
  retention: "limits",
  storage: "file",
  allow_direct: false,
  allow_rollup_hdrs: false,
  deny_delete: true,
  deny_purge: true,
};

function defineStreams({ maxAgeMs, maxPerNode, replicas, environments }: StreamSettings): StreamDefinition[] {
  const common = { ...SAFE_SETTINGS, num_replicas: replicas };
  return [
    {
      ...common,
      name: NODES_STREAM,
      subjects: [presenceSubject("*")],
      max_age: PRESENCE_TTL_MS * NANOS_PER_MS,
      max_msgs_per_subject: 1,
      max_msg_size: MAX_RECORD_BYTES,
      // The server wants a window that is not longer than the age.
      duplicate_window: PRESENCE_TTL_MS * NANOS_PER_MS,
    },
    {
      ...common,
      name: EVENTS_STREAM,
      subjects: [eventSubject("*")],
      // Without a limit of the whole stream, no node displaces the records of another one.
      discard: "old",
      max_age: maxAgeMs * NANOS_PER_MS,
      max_msgs_per_subject: maxPerNode,
      max_msg_size: MAX_RECORD_BYTES,
    },
    ...environments.map((environment) => ({
      ...common,
      name: rolloutStream(environment),
      subjects: [rolloutSubject(environment, "*")],
      discard: "old",
      max_msgs_per_subject: ROLLOUT_RECORDS,
      max_msg_size: MAX_ROLLOUT_BYTES,
    })),
  ];
}
