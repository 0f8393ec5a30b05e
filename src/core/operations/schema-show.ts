import { defineOperation } from "../operation.ts";
import { ecosystemSpellings } from "../project/resolve.ts";

export const schemaShow = defineOperation({
  id: "schema.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ facts }, { document }): Promise<Record<string, unknown>> {
    if (document === "asyncapi") {
      const { asyncApiDocument } = await import("../api/asyncapi.ts");
      const spellings = ecosystemSpellings(await facts.runtimeContract(), await facts.capabilityMatrix());
      return asyncApiDocument([...spellings.keys()]);
    }
    if (document === "deployments") {
      const { documentSchema } = await import("../deployments/schema/document.ts");
      return documentSchema({ contract: await facts.runtimeContract(), matrix: await facts.capabilityMatrix() });
    }
    const { jsonSchemaOf } = await import("../facts/json-schema.ts");
    return jsonSchemaOf(document);
  },
});
