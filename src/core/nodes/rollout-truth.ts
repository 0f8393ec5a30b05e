/** Decides if a record that a user has written counts. The NATS server vouches for the writer of each. */
import { fleetRolloutBody, type FleetRollout } from "../api/fleet-rollout.ts";
import type { Limits } from "../api/rights.ts";

export interface WrittenRecord {
  /** The NATS server vouches for it. */
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

export function judgeRecord(record: WrittenRecord, place: RolloutPlace, limits: Limits): JudgedRecord {
  const content = parseObject(record.text);
  const reason = content === undefined ? NO_RECORD : whyNotOfWriter(content, record, place);
  if (content === undefined || reason !== undefined) return { is: "void", reason: reason ?? NO_RECORD };
  const parsed = fleetRolloutBody.safeParse(content);
  if (!parsed.success) return judgeUnreadable(content, record.user);
  const rollout = parsed.data as FleetRollout;
  const outside = whyOutside(rollout, place, limits);
  return outside === undefined ? { is: "rollout", rollout } : { is: "void", reason: outside };
}

const NO_RECORD = "it is not a record of a rollout";

type Content = Readonly<Record<string, unknown>>;

function whyNotOfWriter(
  content: Content,
  { user, isExpected }: WrittenRecord,
  { environment }: RolloutPlace,
): string | undefined {
  if (!isExpected) return "its writer had not read the record before it";
  if (content["owner"] !== user) return "it names another owner";
  return content["environment"] === environment ? undefined : "it names another environment";
}

function judgeUnreadable({ id, outcome }: Content, owner: string): JudgedRecord {
  if (typeof id !== "string" || id.length > MAX_ID || outcome === undefined) return { is: "void", reason: NO_RECORD };
  return { is: "unreadable", unreadable: { id, owner, isOpen: outcome === null } };
}

function whyOutside(
  { choices }: FleetRollout,
  { environment, services }: RolloutPlace,
  { services: allowed }: Limits,
): string | undefined {
  const requested = choices.service === undefined ? services : [choices.service];
  const isLimited =
    allowed !== undefined && (requested.length === 0 || requested.some((name) => !allowed.includes(name)));
  if (isLimited) return "it concerns a service that its writer may not change";
  return (choices.environment ?? environment) === environment ? undefined : "it names another environment";
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
