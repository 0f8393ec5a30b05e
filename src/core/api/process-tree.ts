import * as z from "zod";
import type { BodyOf } from "./body.ts";

export const processTree = z
  .strictObject({
    processCount: z.int().min(2).describe("With the process that PM2 runs."),
    ownCpuPercent: z.number().min(0).nullable(),
    ownMemoryBytes: z.int().min(0).nullable(),
  })
  .describe(
    "Present if the process has descendants, such as the server below `npm start`. CPU and memory are then those of all of them; here are those of the process alone.",
  );

export type ProcessTree = BodyOf<typeof processTree>;
