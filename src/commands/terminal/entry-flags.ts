import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import {
  interfaceFields,
  packagedCapabilityMatrix as matrix,
  packagedRuntimeContract as contract,
  refusal,
  SvcmError,
  targetFields,
  type Field,
  type Issue,
} from "../../core/index.ts";

/** Help shows the packaged vocabulary; a repository may have a different one. */
const packaged = { contract, matrix };
const MAX_LISTED_VALUES = 8;

export const targetArgs = {
  target: Args.string({
    ignoreStdin: true,
    description: "Name of the deploy target. Case does not matter.",
    required: true,
  }),
};
export const adapterArgs = {
  adapter: Args.string({
    ignoreStdin: true,
    description: "Controller mapping of the adapter, or its number in svcm interfaces list.",
    required: true,
  }),
};

export const targetFlags = fieldFlags(targetFields);
export const interfaceFlags = fieldFlags(interfaceFields);

type FlagField<Flag extends string> = Field & { readonly flag: Flag };

function fieldFlags<Flag extends string>(
  fields: readonly FlagField<Flag>[],
): Record<Flag, ReturnType<typeof fieldFlag>> {
  return Object.fromEntries(fields.map((field) => [field.flag, fieldFlag(field)])) as never;
}

function fieldFlag({ accepted, flagAliases = [], help, label }: Field) {
  const values = accepted?.({}, packaged) ?? [];
  const acceptedText = values.length > 0 && values.length <= MAX_LISTED_VALUES ? ` One of ${values.join(", ")}.` : "";
  const noun = label.split(" ").at(-1)?.toLowerCase();
  return Flags.string({ summary: help + acceptedText, helpValue: `<${noun}>`, aliases: [...flagAliases] });
}

export function fieldValues(
  flags: Readonly<Record<string, unknown>>,
  fields: readonly Field[],
): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ flag = "", name }) => {
      const value = flags[flag];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
}

/** Adds the flag of each field to a refusal; returns other errors unchanged. */
export function addFlagNames(error: unknown, fields: readonly Field[], canClear: boolean): unknown {
  if (!(error instanceof SvcmError) || error.kind !== "INVALID_PAYLOAD" || !error.body.issues) return error;
  const issues = error.body.issues.map((issue) => ({ ...issue, message: messageWithFlag(issue, fields, canClear) }));
  return refusal("INVALID_PAYLOAD", issues);
}

function messageWithFlag({ path, message, accepted, at }: Issue, fields: readonly Field[], canClear: boolean): string {
  // An issue with a location concerns the document, not a flag.
  if (at !== undefined) return message;
  const field = String(path.at(-1));
  const flag = fields.find(({ name }) => name === field)?.flag;
  if (flag === undefined) return message;
  if (accepted?.length !== 0) return `${message} (--${flag})`;
  return `${message} (${canClear ? `--clear ${field} removes it` : `leave --${flag} out`})`;
}
