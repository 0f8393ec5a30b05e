/** Everything in the repository that is derived from something else, and how. A test says that it is current. */
import { asyncApiDocument } from "../src/core/contract/asyncapi.ts";
import { jsonSchemaOf } from "../src/core/facts/json-schema.ts";
import { renderClientFrames } from "./client-frames.ts";
import { openApiJson } from "./openapi.ts";
import { renderPackagedFacts } from "./packaged-facts.ts";
import { capabilityMatrixPage } from "./reference/capability-matrix.ts";
import { codesPage } from "./reference/codes.ts";
import { commandsPage } from "./reference/commands.ts";
import { errorsPage } from "./reference/errors.ts";
import { runtimeKeysPage } from "./reference/runtime-keys.ts";

/** Path from the repository root to the text that has to stand there. */
export const generated: Readonly<Record<string, () => string>> = {
  "src/core/facts/packaged.generated.ts": renderPackagedFacts,
  "src/client/frames.generated.ts": renderClientFrames,
  "schemas/runtime-contract.schema.json": () => json(jsonSchemaOf("runtime-contract")),
  "schemas/capability-matrix.schema.json": () => json(jsonSchemaOf("capability-matrix")),
  "schemas/openapi.json": openApiJson,
  "schemas/asyncapi.json": () => json(asyncApiDocument()),
  "docs/reference/runtime-keys.md": runtimeKeysPage,
  "docs/reference/capability-matrix.md": capabilityMatrixPage,
  "docs/reference/codes.md": codesPage,
  "docs/reference/errors.md": errorsPage,
  "docs/reference/commands.md": commandsPage,
};

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
