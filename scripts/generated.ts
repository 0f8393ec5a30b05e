/** Everything in the repository that is derived from something else, and how. A test says that it is current. */
import { asyncApiDocument } from "../src/core/api/asyncapi.ts";
import { jsonSchemaOf } from "../src/core/facts/json-schema.ts";
import {
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
} from "../src/core/facts/packaged.generated.ts";
import { documentSchema } from "../src/core/deployments/schema/document.ts";
import { renderClientFrames } from "./client-frames.ts";
import { openApiJson } from "./openapi.ts";
import { renderPackagedFacts } from "./packaged-facts.ts";
import { capabilityMatrixPage } from "./reference/capability-matrix.ts";
import { rulesPage } from "./reference/rules.ts";
import { commandsPage } from "./reference/commands.ts";
import { errorsPage } from "./reference/errors.ts";
import { runtimeKeysPage } from "./reference/runtime-keys.ts";
import { settingsPage } from "./reference/settings.ts";

/** Path from the repository root to the text that has to stand there. */
export const generated: Readonly<Record<string, () => string>> = {
  "src/core/facts/packaged.generated.ts": renderPackagedFacts,
  "src/client/frames.generated.ts": renderClientFrames,
  "schemas/runtime-contract.schema.json": () => json(jsonSchemaOf("runtime-contract")),
  "schemas/capability-matrix.schema.json": () => json(jsonSchemaOf("capability-matrix")),
  "schemas/service-management.v1.schema.json": () => json(documentSchema({ contract, matrix })),
  "schemas/openapi.json": openApiJson,
  "schemas/asyncapi.json": () => json(asyncApiDocument()),
  "docs/reference/runtime-keys.md": runtimeKeysPage,
  "docs/reference/capability-matrix.md": capabilityMatrixPage,
  "docs/reference/rules.md": rulesPage,
  "docs/reference/errors.md": errorsPage,
  "docs/reference/commands.md": commandsPage,
  "docs/reference/settings.md": settingsPage,
};

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
