import { CONTROLLER, CONTROLLER_EXAMPLE } from "./rules/interface-controller.ts";
import { ENTRYPOINT, ENTRYPOINT_EXAMPLE } from "./rules/interface-entrypoint.ts";
import { choice, dependent, described, type JsonSchema, labelsOf, mapValues, TEXT, textWith } from "./schema-part.ts";
import { MEMBERS } from "./shape.ts";
import { valuesOf, type Vocabulary } from "./vocabulary.ts";

/** An interface adapter, as its rules judge it; that no two are the same, a schema cannot say. */
export function interfaceSchema(vocabulary: Vocabulary): JsonSchema {
  const { interfaceTypes } = vocabulary.matrix;
  const frameworks = mapValues(interfaceTypes, (type) => valuesOf(vocabulary, type.frameworks));
  const about: Record<string, JsonSchema> = {
    type: {
      ...described("What the adapter speaks."),
      ...choice(Object.keys(interfaceTypes), labelsOf(interfaceTypes)),
    },
    framework: described("What serves the adapter; what is accepted depends on type.", frameworks),
    entrypoint: {
      ...described("TypeScript or JavaScript file under src/interface/ that starts the adapter."),
      ...textWith(ENTRYPOINT, `Expected a .ts or .js path under src/interface/, for example ${ENTRYPOINT_EXAMPLE}.`),
      examples: [ENTRYPOINT_EXAMPLE],
    },
    controller: {
      ...described("Controller and action that answer."),
      ...textWith(CONTROLLER, `Expected the form XController.action, for example ${CONTROLLER_EXAMPLE}.`),
      examples: [CONTROLLER_EXAMPLE],
    },
  };
  return {
    ...described("An interface of the service, and what serves it."),
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(MEMBERS.interfaces.text.map((name) => [name, { ...TEXT, ...about[name] }])),
    required: MEMBERS.interfaces.text.filter((name) => name !== "framework"),
    allOf: dependent(
      "type",
      mapValues(frameworks, frameworkRow),
      frameworkRow([...new Set(Object.values(frameworks).flat())]),
    ),
  };
}

/** A type whose frameworks the repository does not declare has none. */
function frameworkRow(accepted: readonly string[]): JsonSchema {
  return { required: accepted.length > 0 ? ["framework"] : [], properties: { framework: choice(accepted) } };
}
