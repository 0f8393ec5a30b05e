/**
 * The inputs of the operations, as the three faces hand them over. The API's description is
 * generated from these schemas and from `bodies.ts`.
 */
import * as z from "zod/mini";

/** The official process entrypoints of a backend. `websocket` and `grpc` serve REST beside. */
export const entrypoints = ["rest", "websocket", "grpc"] as const;

/** The documents that people write and `svcm schema` describes. */
export const documentNames = ["runtime-contract", "capability-matrix"] as const;

const environment = z.optional(z.string());
const values = z.record(z.string(), z.string());

export const envReadInput = z.strictObject({ environment });

/** `keys` narrows the answer; each has to be of a visible tier. */
export const envGetInput = z.strictObject({ environment, keys: z.optional(z.array(z.string())) });

export const envWriteInput = z.strictObject({
  environment,
  values,
  /** The header `If-Match` as it came. */
  ifMatch: z.optional(z.string()),
  foreignKeys: z.enum(["ignore", "refuse"]),
});

export const envPlanInput = z.strictObject({ environment, values, foreignKeys: z.enum(["ignore", "refuse"]) });
export const envDiffInput = z.strictObject({ from: z.string(), to: z.string() });
export const profileShowInput = z.strictObject({ profile: z.string() });
export const profileApplyInput = z.strictObject({ environment, profile: z.string(), values, dryRun: z.boolean() });
export const startupCheckInput = z.strictObject({ environment, entrypoint: z.enum(entrypoints) });
export const auditListInput = z.strictObject({ limit: z.optional(z.int().check(z.minimum(1), z.maximum(1000))) });
export const schemaShowInput = z.strictObject({ document: z.enum(documentNames) });
export const noInput = z.strictObject({});
