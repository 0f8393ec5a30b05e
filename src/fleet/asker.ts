import { SvcmError } from "../core/index.ts";
import type { Incoming } from "./link.ts";
import { parseAddress, replyPrefix } from "./subjects.ts";

/**
 * True if the reply goes to the user in the subject. The NATS server vouches for the user who publishes, but it also
 * sends stored messages to a subject that their reader chooses. Such a message does not have a user's reply subject.
 */
export function repliesToUser({ subject, reply }: Incoming): boolean {
  const address = parseAddress(subject);
  return address !== undefined && reply.startsWith(`${replyPrefix(address)}.`);
}

/** @returns the user @throws {SvcmError} FORBIDDEN with REQUEST_FORGED */
export function requireUser(message: Incoming): string | undefined {
  if (repliesToUser(message)) return parseAddress(message.subject)?.user;
  throw new SvcmError("FORBIDDEN", {
    code: "REQUEST_FORGED",
    details:
      "The answer would not go to the user that the request names, so the NATS server does not vouch for that user.",
  });
}
