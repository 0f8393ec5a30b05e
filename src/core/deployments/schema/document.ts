import { mapValues } from "../../words/record.ts";
import { rolloutSchema } from "../../project/rollout-schema.ts";
import { anyCasePattern } from "../../api/word-pattern.ts";
import { envSpellings } from "../../project/resolve.ts";
import { interfaceFields, configurationFields } from "../fields.ts";
import { DOCUMENT_VERSION } from "../shape.ts";
import { type Vocabulary, portNames } from "../vocabulary.ts";
import {
  describeSchema,
  type JsonSchema,
  TEXT,
  textWith,
  conditional,
  UNSUGGESTED,
  whenMember,
} from "../../words/schema-part.ts";
import { targetSchema, targetSnippets } from "./target.ts";
import { MAX_PORT } from "../../words/port.ts";
import { entrySchema } from "./entry.ts";

/**
 * JSON Schema (draft-07) for editors. It cannot express that names, adapters and ports are unique.
 * @see CONTRACT section 6
 */
export function documentSchema(vocabulary: Vocabulary): Record<string, unknown> {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...describeSchema("The service and its deploy targets: deployments.yaml, checked by `svcm validate`."),
    type: "object",
    additionalProperties: false,
    properties: {
      version: { ...describeSchema("Version of the document."), ...TEXT, const: DOCUMENT_VERSION },
      runtimeEnvironment: environmentSchema(vocabulary),
      serviceConfiguration: configurationSchema(vocabulary),
      interfaces: {
        ...describeSchema("Interface adapters. Two adapters never share a controller, or an entrypoint of one type."),
        type: "array",
        items: {
          ...describeSchema("An interface of the service, and the framework that serves it."),
          ...entrySchema(interfaceFields, vocabulary),
        },
      },
      deployments: {
        ...describeSchema("Deploy targets. Names are unique, ignoring case."),
        type: "array",
        items: targetSchema(vocabulary),
        defaultSnippets: targetSnippets(vocabulary),
      },
      rollout: rolloutSchema(),
    },
  };
}

function environmentSchema({ contract }: Vocabulary): JsonSchema {
  const spellings = [...envSpellings(contract).keys()];
  const anyCase = spellings.map(anyCasePattern).join("|");
  return {
    ...describeSchema("Selected environment. The document never holds its values."),
    anyOf: [{ enum: spellings }, textWith(new RegExp(`^(?:${anyCase})$`), `Accepted: ${spellings.join(", ")}.`)],
  };
}

const PORT_TEXT = /^(?=\d{1,5}$)(?=0*[1-9])(?:[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/;

const PORT: JsonSchema = {
  type: ["string", "integer"],
  minimum: 1,
  maximum: MAX_PORT,
  pattern: PORT_TEXT.source,
  patternErrorMessage: "Expected an integer from 1 to 65535.",
};

export function configurationSchema(vocabulary: Vocabulary): JsonSchema {
  const { serviceKinds } = vocabulary.matrix;
  const { allOf, properties, ...schema } = entrySchema(configurationFields, vocabulary);
  const bindings = Object.entries(serviceKinds).map(([kind, { ports }]) =>
    conditional(whenMember("serviceKind", [kind]), requirePorts(ports)),
  );
  return {
    ...describeSchema("Kind, run mode, cloud provider and ports of the service."),
    ...schema,
    properties: { ...(properties as JsonSchema), ports: portsSchema(vocabulary.matrix) },
    allOf: [...(allOf as JsonSchema[]), ...bindings],
  };
}

/** Without `type`, because yaml-language-server would suggest it as a member. */
function requirePorts(ports: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(ports.map((port) => [port, PORT]));
  return { required: ["ports"], properties: { ports: { required: ports, properties } } };
}

function portsSchema(matrix: Vocabulary["matrix"]): JsonSchema {
  const about = describeSchema("Port of the listener, an integer from 1 to 65535.");
  const byKind = mapValues(matrix.serviceKinds, ({ ports }) => ports);
  return {
    ...describeSchema("Ports by listener; svcm ignores those that serviceKind does not bind.", byKind),
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(portNames(matrix).map((port) => [port, { ...about, ...UNSUGGESTED }])),
  };
}
