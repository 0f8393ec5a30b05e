import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { UsageError } from "./errors.ts";

const DEFAULT = "deployments.yaml";

export const fileFlag = flagWith("Document to use, relative to the repository root.");

export const pipedFileFlag = flagWith(
  "Document to validate, relative to the repository root. Use - for standard input.",
);

function flagWith(summary: string) {
  return Flags.string({ summary, default: DEFAULT, helpValue: "<file>" });
}

export const documentArgs = {
  document: Args.string({
    ignoreStdin: true,
    description: `Document to validate, instead of --file. Defaults to ${DEFAULT}.`,
  }),
};

/** @throws {UsageError} if the argument and `--file` name different documents */
export function documentOf(argument: string | undefined, file: string): string {
  if (argument === undefined || argument === file) return file;
  if (file === DEFAULT) return argument;
  throw new UsageError(`Two documents were given: ${argument} and --file ${file}.`, "give only one of them");
}
