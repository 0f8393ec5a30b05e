import type { Access, Identity, Limits } from "../caller.ts";
import { SvcmError } from "../errors.ts";
import { roleWith } from "./rights.ts";

/** UNAUTHORIZED without a token, else FORBIDDEN. */
export function missingRight({ actor = "", role }: Identity, access: Access): SvcmError {
  if (role === undefined) return new SvcmError("UNAUTHORIZED");
  const needed = roleWith(access);
  const accepted = needed === "admin" ? "admin" : `${needed} or a stronger role`;
  return new SvcmError("FORBIDDEN", {
    code: "RIGHT_MISSING",
    details: `The token ${JSON.stringify(actor)} has the role ${role}. Accepted: ${accepted}. An admin creates tokens with svcm token create.`,
  });
}

/** @param asked the environments and services of the request */
export function beyondLimits({ actor = "" }: Identity, { environments, services }: Limits, asked: string): SvcmError {
  const accepted = [
    ...(environments === undefined ? [] : [`environment ${environments.join(" or ")}`]),
    ...(services === undefined ? [] : [`service ${services.join(" or ")}`]),
  ];
  return new SvcmError("FORBIDDEN", {
    code: "TOKEN_LIMITED",
    details: `The token ${JSON.stringify(actor)} is limited, and the request concerns ${asked}. Accepted: ${accepted.join(", ")}.`,
  });
}
