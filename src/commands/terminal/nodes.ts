import * as Flags from "@oclif/core/flags";
import { readTimeout } from "./since.ts";

const READ_DEADLINE_MS = 5_000;

export const nodeFlags = {
  nats: Flags.string({
    summary:
      "Add this machine to the fleet of the NATS server at this address. Separate several addresses with commas.",
    env: "SVC_SERVICE_MANAGEMENT_NATS_URL",
    helpValue: "<url>",
  }),
  "node-name": Flags.string({
    summary: "Name of this machine in svcm.yaml. Defaults to the host name.",
    env: "SVC_SERVICE_MANAGEMENT_NODE",
    helpValue: "<name>",
  }),
};

export function readDeadline(text: string | undefined, defaultMs = READ_DEADLINE_MS): number {
  return readTimeout(text, "--deadline") ?? defaultMs;
}
