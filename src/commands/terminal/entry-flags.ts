/** The flags that name the fields of an entry, and the words for them. What they accept, the matrix decides. */
import * as Flags from "@oclif/core/flags";
import { packagedCapabilityMatrix as matrix, refusal, SvcmError, type Issue } from "../../core/index.ts";
import { fileFlag } from "./suite-argument.ts";

export const suiteFlags = {
  file: fileFlag,
  "dry-run": Flags.boolean({ summary: "Show the lines that would change, and write nothing.", default: false }),
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
  "key-value-driver": "keyValueDriver",
  "pm2-profile": "pm2Profile",
} as const satisfies FieldNames;

export const targetFlags = {
  name: text("Name. Must be unique, ignoring case.", "<name>"),
  region: text("Region of the provider. For a self-hosted target, optionally the host.", "<region>"),
  runtime: text("Runtime and its version, for example nodejs22.x.", "<runtime>"),
  "service-type": text(`Type of the deployed service. ${oneOf(Object.keys(matrix.serviceTypes))}`, "<type>"),
  "deploy-target": text(`Platform that it is deployed to. ${oneOf(Object.keys(matrix.deployTargets))}`, "<target>"),
  "runtime-protocol": text(
    `Protocol that the service type exposes. ${oneOf(Object.keys(matrix.protocols))}`,
    "<protocol>",
  ),
  "database-driver": text("Database driver. Takes the values of SVC_DATABASE_DRIVER.", "<driver>"),
  "key-value-driver": Flags.string({
    summary: "Key-value driver. Takes the values of SVC_KEYVALUESTORAGE_DRIVER.",
    helpValue: "<driver>",
    aliases: ["keyvalue-driver"],
  }),
  "pm2-profile": text(`PM2 profile, only for targets that PM2 manages. ${oneOf(matrix.pm2Profiles)}`, "<profile>"),
};

export const interfaceFields = {
  type: "type",
  framework: "framework",
  entrypoint: "entrypoint",
  controller: "controller",
} as const satisfies FieldNames;

export const interfaceFlags = {
  type: text(`Interface type. ${oneOf(Object.keys(matrix.interfaceTypes))}`, "<type>"),
  framework: text("Framework that serves the type. svcm matrix show lists them.", "<framework>"),
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

function withFlag({ path, message, accepted, at }: Issue, fields: FieldNames, canClear: boolean): string {
  // What has a place is wrong in the document, not in a flag.
  if (at !== undefined) return message;
  const field = String(path.at(-1));
  const flag = flagOf(fields, field);
  if (flag === undefined) return message;
  if (accepted?.length !== 0) return `${message} (--${flag})`;
  return `${message} (${canClear ? `--clear ${field} removes it` : `leave --${flag} out`})`;
}

/** The flag of a field, without dashes. */
export function flagOf(fields: FieldNames, field: string): string | undefined {
  return Object.entries(fields).find(([, name]) => name === field)?.[0];
}

/** The words of the packaged matrix; a repository may have others in its own. */
function oneOf(words: readonly string[]): string {
  return `One of ${words.join(", ")}.`;
}

function text(summary: string, helpValue: string) {
  return Flags.string({ summary, helpValue });
}
