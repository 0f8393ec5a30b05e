import { envSpellings } from "../../project/environment.ts";
import { interfaceFields } from "../fields.ts";
import { DOCUMENT_VERSION } from "../shape.ts";
import type { Vocabulary } from "../vocabulary.ts";
import { configurationSchema } from "./configuration.ts";
import { entrySchema } from "./entry.ts";
import { described, type JsonSchema, TEXT, textWith } from "./part.ts";
import { targetSchema, targetSnippets } from "./target.ts";

/**
 * JSON Schema (draft-07) of a deployments document, for editors: made of the facts, so that it says what
 * the validators say. What a schema cannot say is left to them: that names, adapters and ports are
 * each other's own.
 *
 * @see CONTRACT section 6
 */
export function documentSchema(vocabulary: Vocabulary): Record<string, unknown> {
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...described("What the service is and where it runs: deployments.yaml, checked by `svcm validate`."),
    type: "object",
    additionalProperties: false,
    properties: {
      version: { ...described("Version of the document."), ...TEXT, const: DOCUMENT_VERSION },
      runtimeEnvironment: environmentSchema(vocabulary),
      serviceConfiguration: configurationSchema(vocabulary),
      interfaces: {
        ...described("Interface adapters; no two of a type start at one entrypoint, or share a controller."),
        type: "array",
        items: {
          ...described("An interface of the service, and the framework that serves it."),
          ...entrySchema(interfaceFields, vocabulary),
        },
      },
      deployments: {
        ...described("Deploy targets; no two have the same name, whatever its case."),
        type: "array",
        items: targetSchema(vocabulary),
        defaultSnippets: targetSnippets(vocabulary),
      },
    },
  };
}

/** An environment is compared without regard to case. */
function environmentSchema({ contract }: Vocabulary): JsonSchema {
  const spellings = [...envSpellings(contract).keys()];
  const anyCase = spellings.map((name) => name.replaceAll(/./g, eitherCase)).join("|");
  return {
    ...described("Environment that is selected; the selection only, never values."),
    anyOf: [{ enum: spellings }, textWith(new RegExp(`^(?:${anyCase})$`), `Accepted: ${spellings.join(", ")}.`)],
  };
}

function eitherCase(letter: string): string {
  return /[a-z]/.test(letter)
    ? `[${letter}${letter.toUpperCase()}]`
    : letter.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
