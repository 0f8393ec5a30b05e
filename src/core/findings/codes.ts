import type { CodeDocs } from "./rule.ts";
import { revisionCodes, sourceCodes, documentCodes } from "./codes/documents.ts";
import { ecosystemCodes } from "./codes/ecosystem.ts";
import { envCodes } from "./codes/env.ts";
import { connectionCodes, fileCodes } from "./codes/files.ts";
import { logCodes } from "./codes/logs.ts";
import { fleetCodes } from "./codes/fleet.ts";
import { processCodes } from "./codes/processes.ts";
import { rolloutCodes } from "./codes/rollout.ts";
import { telemetryCodes } from "./codes/telemetry.ts";
import { requestCodes } from "./codes/requests.ts";
import { profileCodes } from "./codes/profiles.ts";

export const codeDocs: Readonly<Record<string, CodeDocs>> = {
  "Env files": envCodes,
  "Files and the system": fileCodes,
  "Profiles and startup": profileCodes,
  "PM2 ecosystem files": ecosystemCodes,
  "Declarative sources": sourceCodes,
  "Deployments document": documentCodes,
  Revisions: revisionCodes,
  Connections: connectionCodes,
  Requests: requestCodes,
  "PM2 and processes": processCodes,
  Logs: logCodes,
  "Plans and releases": rolloutCodes,
  Telemetry: telemetryCodes,
  Fleet: fleetCodes,
};
