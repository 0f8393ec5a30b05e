/**
 * A renderer imports its sources when it is called, because some are derived, too. A test checks that each file is
 * current.
 */
import type { SchemaName } from "./schemas.ts";

/** By path from the repository root. */
export type Renderers = Readonly<Record<string, () => Promise<string>>>;

/** These renderers import no derived module. */
export const generatedSources: Renderers = {
  "src/core/project/facts/packaged.generated.ts": async () =>
    (await import("./packaged-facts.ts")).renderPackagedFacts(),
  "src/client/frames.generated.ts": async () => (await import("./client-frames.ts")).renderClientFrames(),
};

/** These depend on the sources and the commands of the build. */
export const generatedFiles: Renderers = {
  "schemas/runtime-contract.schema.json": () => schema("runtime-contract"),
  "schemas/capability-matrix.schema.json": () => schema("capability-matrix"),
  "schemas/svcm.v1.schema.json": () => schema("svcm"),
  "schemas/service-management.v1.schema.json": () => schema("deployments"),
  "schemas/asyncapi.json": () => schema("asyncapi"),
  "schemas/openapi.json": () => schema("openapi"),
  "docs/reference/runtime-keys.md": async () => (await import("./reference/runtime-keys.ts")).runtimeKeysPage(),
  "docs/reference/capability-matrix.md": async () =>
    (await import("./reference/capability-matrix.ts")).capabilityMatrixPage(),
  "docs/reference/rules.md": async () => (await import("./reference/rules.ts")).rulesPage(),
  "docs/reference/errors.md": async () => (await import("./reference/errors.ts")).errorsPage(),
  "docs/reference/commands.md": async () => (await import("./reference/commands.ts")).commandsPage(),
  "docs/reference/settings.md": async () => (await import("./reference/settings.ts")).settingsPage(),
  "docs/llms.txt": async () => (await import("./reference/llms.ts")).llmsText(),
};

async function schema(name: SchemaName): Promise<string> {
  return (await import("./schemas.ts")).schemaText(name);
}
