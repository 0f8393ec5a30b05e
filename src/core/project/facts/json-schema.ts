import * as z from "zod";
import type { documentNames } from "../../api/names.ts";
import { projectSchema } from "../schema.ts";
import { capabilityMatrixSchema, runtimeContractSchema } from "../../api/facts.ts";

type FactName = Exclude<(typeof documentNames)[number], "deployments">;

const documents: Record<FactName, { readonly title: string; readonly schema: z.ZodType }> = {
  "runtime-contract": { title: "svcm runtime contract", schema: runtimeContractSchema },
  svcm: { title: "svcm.yaml", schema: projectSchema },
  "capability-matrix": { title: "svcm capability matrix", schema: capabilityMatrixSchema },
};

export function jsonSchemaOf(name: FactName): Record<string, unknown> {
  const { title, schema } = documents[name];
  return { title, ...z.toJSONSchema(schema, { target: "draft-7", io: "input" }) };
}
