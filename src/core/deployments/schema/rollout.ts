import { healthMembers, rolloutMembers, type Member } from "../../rollout/settings/settings.ts";
import { described, type JsonSchema, mapValues } from "./part.ts";

export function rolloutSchema(): JsonSchema {
  const probe = { type: "object", additionalProperties: false, properties: membersSchema(healthMembers) };
  return {
    ...described("How svcm apply judges processes. Every member is optional."),
    type: "object",
    additionalProperties: false,
    properties: {
      ...membersSchema(rolloutMembers),
      health: {
        ...described("Health probes by the suffix of the app name, for example restapi."),
        type: "object",
        propertyNames: { pattern: "^[\\w.-]{1,200}$" },
        additionalProperties: { ...described("A health probe."), ...probe },
      },
    },
  };
}

function membersSchema(members: Readonly<Record<string, Member>>): JsonSchema {
  return mapValues(members, ({ help, schema }) => ({ ...described(help), ...schema }));
}
