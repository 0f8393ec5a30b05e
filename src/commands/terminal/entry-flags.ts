/** The flags that name the fields of an entry, and the words for them. What they accept, the matrix decides. */
import * as Flags from "@oclif/core/flags";
import { refusal, SvcmError, type Issue } from "../../core/index.ts";
import { fileFlag } from "./suite-argument.ts";

export const suiteFlags = {
  file: fileFlag,
  "dry-run": Flags.boolean({ summary: "Show the lines that would change; write nothing.", default: false }),
};

/** Field of an entry by flag. */
export type FieldNames = Readonly<Record<string, string>>;

export const targetFields = {
  name: "name",
  region: "region",
  runtime: "runtime",
  "service-type": "serviceType",
  "deploy-target": "deployTarget",
  "runtime-protocol": "runtimeProtocol",
  "database-driver": "databaseDriver",
  "keyvalue-driver": "keyValueDriver",
  "pm2-profile": "pm2Profile",
} as const satisfies FieldNames;

export const targetFlags = {
  name: text("Name, unique whatever its case.", "<name>"),
  region: text("Region; where it is self-hosted it may say which host.", "<region>"),
  runtime: text("Runtime with its version, for example nodejs22.x.", "<runtime>"),
  "service-type": text("What is deployed: svcm matrix show lists what runs where.", "<type>"),
  "deploy-target": text("Where it is deployed.", "<target>"),
  "runtime-protocol": text("Protocol that the service type exposes.", "<protocol>"),
  "database-driver": text("As SVC_DATABASE_DRIVER.", "<driver>"),
  "keyvalue-driver": text("As SVC_KEYVALUESTORAGE_DRIVER.", "<driver>"),
  "pm2-profile": text("PM2 profile, on PM2-managed targets only.", "<profile>"),
};

export const interfaceFields = {
  type: "type",
  framework: "framework",
  entrypoint: "entrypoint",
  controller: "controller",
} as const satisfies FieldNames;

export const interfaceFlags = {
  type: text("Interface type.", "<type>"),
  framework: text("Framework that serves the type.", "<framework>"),
  entrypoint: text("TypeScript or JavaScript file under src/interface/.", "<path>"),
  controller: text("Controller mapping, for example ItemController.list.", "<mapping>"),
};

/** The given flags as fields of an entry. */
export function valuesOf(flags: Readonly<Record<string, unknown>>, fields: FieldNames): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([flag, field]) => {
      const value = flags[flag];
      return typeof value === "string" ? [[field, value]] : [];
    }),
  );
}

/** A refusal that names the flag of each field beside what is wrong with it. All else is as it was. */
export function namingFlags(error: unknown, fields: FieldNames, canClear: boolean): unknown {
  if (!(error instanceof SvcmError) || error.kind !== "INVALID_PAYLOAD" || !error.facts.issues) return error;
  const issues = error.facts.issues.map((issue) => ({ ...issue, message: withFlag(issue, fields, canClear) }));
  return refusal("INVALID_PAYLOAD", issues);
}

function withFlag({ path, message, accepted }: Issue, fields: FieldNames, canClear: boolean): string {
  const field = String(path.at(-1));
  const flag = flagOf(fields, field);
  if (flag === undefined) return message;
  if (accepted?.length !== 0) return `${message} (--${flag})`;
  return `${message} (${canClear ? `--clear ${field} takes it out` : `leave --${flag} out`})`;
}

/** The flag of a field, without dashes. */
export function flagOf(fields: FieldNames, field: string): string | undefined {
  return Object.entries(fields).find(([, name]) => name === field)?.[0];
}

function text(summary: string, helpValue: string) {
  return Flags.string({ summary, helpValue });
}
