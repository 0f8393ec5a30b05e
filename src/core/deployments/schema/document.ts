import { inAnyCase } from "../../api/word-pattern.ts";
import { envSpellings } from "../../project/resolve.ts";
import { interfaceFields } from "../fields.ts";
import { DOCUMENT_VERSION } from "../shape.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { configurationSchema } from "./configuration.ts";
import { entrySchema } from "./entry.ts";
import { described, type JsonSchema, TEXT, textWith } from "./part.ts";
import { rolloutSchema } from "./rollout.ts";
import { targetSchema, targetSnippets } from "./target.ts";

/**
 * JSON Schema (draft-07) for editors. It cannot express that names, adapters and ports are unique.
 * @see CONTRACT section 6
 */
export function documentSchema(vocabulary: Vocabulary): Record<string, unknown> {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...described("The service and its deploy targets: deployments.yaml, checked by `svcm validate`."),
    type: "object",
    additionalProperties: false,
    properties: {
      version: { ...described("Version of the document."), ...TEXT, const: DOCUMENT_VERSION },
      runtimeEnvironment: environmentSchema(vocabulary),
      serviceConfiguration: configurationSchema(vocabulary),
      interfaces: {
        ...described("Interface adapters. Two adapters never share a controller, or an entrypoint of one type."),
        type: "array",
        items: {
          ...described("An interface of the service, and the framework that serves it."),
          ...entrySchema(interfaceFields, vocabulary),
        },
      },
      deployments: {
        ...described("Deploy targets. Names are unique, ignoring case."),
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
  const anyCase = spellings.map(inAnyCase).join("|");
  return {
    ...described("Selected environment. The document never holds its values."),
    anyOf: [{ enum: spellings }, textWith(new RegExp(`^(?:${anyCase})$`), `Accepted: ${spellings.join(", ")}.`)],
  };
}
