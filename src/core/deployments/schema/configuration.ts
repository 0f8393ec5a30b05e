import { MAX_PORT } from "../../words/port.ts";
import { configurationFields } from "../fields.ts";
import { portNames, type Vocabulary } from "../vocabulary.ts";
import { entrySchema } from "./entry.ts";
import { condition, described, type JsonSchema, mapValues, UNSUGGESTED, where } from "./part.ts";

const PORT_TEXT = /^(?=\d{1,5}$)(?=0*[1-9])(?:[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/;

const PORT: JsonSchema = {
  type: ["string", "integer"],
  minimum: 1,
  maximum: MAX_PORT,
  pattern: PORT_TEXT.source,
  patternErrorMessage: "Expected an integer from 1 to 65535.",
};

/** A JSON schema cannot express that all ports must differ. */
export function configurationSchema(vocabulary: Vocabulary): JsonSchema {
  const { serviceKinds } = vocabulary.matrix;
  const { allOf, properties, ...schema } = entrySchema(configurationFields, vocabulary);
  const bindings = Object.entries(serviceKinds).map(([kind, { ports }]) =>
    condition(where("serviceKind", [kind]), bound(ports)),
  );
  return {
    ...described("Kind, run mode, cloud provider and ports of the service."),
    ...schema,
    properties: { ...(properties as JsonSchema), ports: portsSchema(vocabulary.matrix) },
    allOf: [...(allOf as JsonSchema[]), ...bindings],
  };
}

/** Without `type`, because yaml-language-server would suggest it as a member. */
function bound(ports: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(ports.map((port) => [port, PORT]));
  return { required: ["ports"], properties: { ports: { required: ports, properties } } };
}

function portsSchema(matrix: Vocabulary["matrix"]): JsonSchema {
  const about = described("Port of the listener, an integer from 1 to 65535.");
  const byKind = mapValues(matrix.serviceKinds, ({ ports }) => ports);
  return {
    ...described("Ports by listener; svcm ignores those that serviceKind does not bind.", byKind),
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(portNames(matrix).map((port) => [port, { ...about, ...UNSUGGESTED }])),
  };
}
