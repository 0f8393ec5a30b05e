import * as z from "zod";
import type { BodyOf } from "./body.ts";

export const hostSystem = z
  .strictObject({
    hostName: z.string(),
    os: z.string().describe("Name and release, such as `Debian GNU/Linux 12`."),
    kernel: z.string(),
    architecture: z.string(),
    virtualization: z
      .string()
      .nullable()
      .describe("The hypervisor or container; null on bare metal, or if it is not known."),
    bootedAt: z.iso.datetime().nullable(),
    fileSystems: z.array(z.strictObject({ path: z.string(), type: z.string(), totalBytes: z.int().min(0) })),
    interfaces: z.array(z.strictObject({ name: z.string(), addresses: z.array(z.string()) })),
  })
  .nullable()
  .describe("Facts that stay the same while the machine runs. Asked once; null before the answer.");

export type HostSystem = NonNullable<BodyOf<typeof hostSystem>>;
