import { healthMembers, rolloutMembers, type Member } from "./rollout-settings.ts";
import { mapValues } from "../words/record.ts";
import { describeSchema, type JsonSchema } from "../words/schema-part.ts";
export function rolloutSchema(): JsonSchema {
  const probe = { type: "object", additionalProperties: false, properties: membersSchema(healthMembers) };
  return {
    ...describeSchema("How svcm apply judges processes. Every member is optional."),
    type: "object",
    additionalProperties: false,
    properties: {
      ...membersSchema(rolloutMembers),
      health: {
        ...describeSchema("Health probes by the suffix of the app name, for example restapi."),
        type: "object",
        propertyNames: { pattern: "^[\\w.-]{1,200}$" },
        additionalProperties: { ...describeSchema("A health probe."), ...probe },
      },
    },
  };
}

function membersSchema(members: Readonly<Record<string, Member>>): JsonSchema {
  return mapValues(members, ({ help, schema }) => ({ ...describeSchema(help), ...schema }));
}
