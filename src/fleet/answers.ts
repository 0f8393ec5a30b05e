/** A node may be compromised or of another version, so its answers are checked like any other input. */
import * as z from "zod";
import * as body from "../core/api/bodies.ts";
import { bootBody, daemonBody } from "../core/api/boot.ts";
import { deployPlanBody } from "../core/api/deploy.ts";
import { eventsBody, processShowBody, whyBody } from "../core/api/events.ts";
import { historyBody } from "../core/api/history.ts";
import { identityBody } from "../core/api/identity.ts";
import type { OperationId } from "../core/api/inputs.ts";
import { logsBody } from "../core/api/logs.ts";
import { nodeStateBody } from "../core/api/node.ts";
import { planBody, releaseBody, releaseListBody, rollbackPlanBody } from "../core/api/rollout.ts";
import { SvcmError } from "../core/index.ts";

/** It becomes a header of HTTP. */
const entityTag = z
  .string()
  .regex(/^"[\w+/=-]{1,100}"$/)
  .optional();

const tagged = (response: z.ZodType): z.ZodType => z.strictObject({ response, entityTag });

/** Of the operations that HTTP answers with the same body. */
const SCHEMAS: Partial<Readonly<Record<OperationId, z.ZodType>>> = {
  "audit.list": body.auditBody,
  "boot.show": bootBody,
  "contract.show": body.contractBody,
  "daemon.show": daemonBody,
  "deploy.plan": deployPlanBody,
  "ecosystem.show": body.ecosystemBody,
  "env.check": body.envCheckBody,
  "env.diff": body.envDiffBody,
  "env.read": tagged(body.envReadBody),
  "event.why": whyBody,
  "events.list": eventsBody,
  "history.show": historyBody,
  "identity.show": identityBody,
  "logs.read": logsBody,
  "node.show": nodeStateBody,
  "process.show": processShowBody,
  "release.list": releaseListBody,
  "release.show": releaseBody,
  "rollout.plan": planBody,
  "rollout.rollback-plan": rollbackPlanBody,
};

const anyAnswer = z.union([z.record(z.string(), z.unknown()), z.array(z.unknown()), z.string()]);

/** @returns the answer as it came @throws {SvcmError} FLEET_FAILED with ANSWER_INVALID */
export function readAnswer(id: OperationId, result: unknown): unknown {
  const schema = Object.hasOwn(SCHEMAS, id) ? SCHEMAS[id] : anyAnswer;
  const issue = schema?.safeParse(result).error?.issues[0];
  if (issue === undefined && hasPrintableTag(result)) return result;
  const path = issue?.path.join(".") || "it";
  throw new SvcmError("FLEET_FAILED", {
    code: "ANSWER_INVALID",
    details: `The node's answer to ${id} has a form that this svcm does not know: ${path.slice(0, 80)}. A node of another version, or a program that is not svcm, may have sent it.`,
  });
}

function hasPrintableTag(result: unknown): boolean {
  const tag = typeof result === "object" && result !== null ? (Reflect.get(result, "entityTag") as unknown) : undefined;
  return entityTag.safeParse(tag).success;
}
