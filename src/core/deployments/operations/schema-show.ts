import type { HasFacts } from "../../project/port-repository.ts";
import { defineOperation } from "../../access/operation.ts";
import { ecosystemSpellings } from "../../project/resolve.ts";

export const schemaShow = defineOperation({
  id: "schema.show",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run({ facts }: HasFacts, { document }): Promise<Record<string, unknown>> {
    if (document === "asyncapi") {
      const { asyncApiDocument } = await import("../../api/asyncapi.ts");
      const spellings = ecosystemSpellings(await facts.runtimeContract(), await facts.capabilityMatrix());
      return asyncApiDocument([...spellings.keys()]);
    }
    if (document === "deployments") {
      const { documentSchema } = await import("../schema/document.ts");
      return documentSchema({ contract: await facts.runtimeContract(), matrix: await facts.capabilityMatrix() });
    }
    const { jsonSchemaOf } = await import("../../project/facts/json-schema.ts");
    return jsonSchemaOf(document);
  },
});
