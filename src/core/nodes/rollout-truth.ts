/** Which of the records that users have written is the present one. The NATS server vouches for the writer of each. */
import { fleetRolloutBody, type FleetRollout } from "../api/fleet-rollout.ts";
import type { Limits } from "../api/limits.ts";

export interface WrittenRecord {
  readonly user: string;
  readonly seq: number;
  readonly text: string;
  /** Without the expectation, the record may have displaced one that its writer had not read. */
  readonly isExpected: boolean;
}

export interface RolloutPlace {
  readonly environment: string;
  /** All of the project; a rollout without a service concerns all of them. */
  readonly services: readonly string[];
}

/** Another version of svcm wrote the record, and it holds the lock like any other. */
export interface UnreadableRollout {
  readonly id: string;
  readonly owner: string;
  readonly isOpen: boolean;
}

export type JudgedRecord =
  | { readonly is: "rollout"; readonly rollout: FleetRollout }
  | { readonly is: "unreadable"; readonly unreadable: UnreadableRollout }
  | { readonly is: "void"; readonly reason: string };

export function judgeRecord(
  { user, text, isExpected }: WrittenRecord,
  { environment, services }: RolloutPlace,
  limits: Limits,
): JudgedRecord {
  const content = parseObject(text);
  if (content === undefined) return { is: "void", reason: "it is no record of a rollout" };
  if (!isExpected) return { is: "void", reason: "its writer had not read the record before it" };
  if (content["owner"] !== user) return { is: "void", reason: "it names another owner" };
  if (content["environment"] !== environment) return { is: "void", reason: "it names another environment" };
  const parsed = fleetRolloutBody.safeParse(content);
  if (!parsed.success) {
    const { id, outcome } = content;
    if (typeof id !== "string" || id.length > MAX_ID || outcome === undefined)
      return { is: "void", reason: "it is no record of a rollout" };
    return { is: "unreadable", unreadable: { id, owner: user, isOpen: outcome === null } };
  }
  const rollout = parsed.data as FleetRollout;
  const { service } = rollout.choices;
  const requested = service === undefined ? services : [service];
  const allowed = limits.services;
  if (allowed !== undefined && (requested.length === 0 || requested.some((name) => !allowed.includes(name))))
    return { is: "void", reason: "it concerns a service that its writer may not change" };
  if ((rollout.choices.environment ?? environment) !== environment)
    return { is: "void", reason: "it names another environment" };
  return { is: "rollout", rollout };
}

const MAX_ID = 80;

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return typeof content === "object" && content !== null ? (content as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
