import type { Rule } from "../../findings/rule.ts";
import type { Pm2Daemon, ServiceAddress } from "../../ports/machine.ts";
import { shortList } from "./layout-rules.ts";

export interface NewerFiles {
  readonly name: string;
  readonly pmId: number;
  readonly files: readonly string[];
}

export interface Running {
  readonly daemon: Pm2Daemon | null;
  readonly service: ServiceAddress;
  readonly newer: readonly NewerFiles[];
}

/** Major versions of PM2. */
const TESTED = ["5", "6", "7"];

const untestedVersion: Rule<Running> = {
  code: "PM2_VERSION_UNTESTED",
  severity: "warning",
  summary: "svcm is not tested with the version of the PM2 daemon (warning).",
  remedy:
    "Check that `svcm process list` agrees with `pm2 list`, and update PM2 with `npm install -g pm2` and `pm2 update`.",
  *check({ daemon }) {
    const version = daemon?.version ?? null;
    if (version === null || TESTED.includes(version.split(".")[0] ?? "")) return;
    yield { path: ["version"], message: `the PM2 daemon has the version ${version}; tested: ${TESTED.join(", ")}` };
  },
};

const newerEnvFiles: Rule<Running> = {
  code: "PROCESS_ENV_FILE_NEWER",
  severity: "warning",
  summary: "An env file of the app was changed after the process started (warning).",
  explanation: "An app reads its env file when it starts.",
  remedy: "Run `svcm process restart <name>`, if the change concerns the app.",
  check: ({ newer }) =>
    newer.map(({ name, pmId, files }) => {
      const verb = files.length === 1 ? "was" : "were";
      return {
        path: [name, pmId],
        message: `${name} (id ${pmId}): ${shortList(files)} ${verb} changed after it started`,
      };
    }),
};

const takenAddress: Rule<Running> = {
  code: "PROJECT_ADDRESS_TAKEN",
  severity: "warning",
  summary: "Another program answers at the address of `svcm serve` (warning).",
  remedy: "Choose another port with SVC_SERVICE_MANAGEMENT_PORT, or stop that program.",
  *check({ service: { address, answer } }) {
    if (answer === "other") yield { path: ["service"], message: `another program answers at ${address}` };
  },
};

const invalidAddress: Rule<Running> = {
  code: "PROJECT_ADDRESS_INVALID",
  severity: "error",
  summary: "The host and port variables are not a valid address, so `svcm serve` would not start.",
  remedy:
    "Set SVC_SERVICE_MANAGEMENT_HOST to a host name or an address, and SVC_SERVICE_MANAGEMENT_PORT to an integer from 0 to 65535.",
  *check({ service: { address } }) {
    if (address !== null) return;
    yield {
      path: ["service"],
      message: "SVC_SERVICE_MANAGEMENT_HOST and SVC_SERVICE_MANAGEMENT_PORT are not a valid address",
    };
  },
};

export const runningRules: readonly Rule<Running>[] = [untestedVersion, newerEnvFiles, takenAddress, invalidAddress];
