import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { UsageError } from "./errors.ts";

const DEFAULT_DOCUMENT = "deployments.yaml";

export const fileFlag = documentFlag("Document to use, relative to the repository root.");

export const pipedFileFlag = documentFlag(
  "Document to validate, relative to the repository root. Use - for standard input.",
);

function documentFlag(summary: string) {
  return Flags.string({ summary, default: DEFAULT_DOCUMENT, helpValue: "<file>" });
}

export const documentArgs = {
  document: Args.string({
    ignoreStdin: true,
    description: `Document to validate, instead of --file. Defaults to ${DEFAULT_DOCUMENT}.`,
  }),
};

/** @throws {UsageError} if the argument and `--file` name different documents */
export function selectDocument(argument: string | undefined, file: string): string {
  if (argument === undefined || argument === file) return file;
  if (file === DEFAULT_DOCUMENT) return argument;
  throw new UsageError(`Two documents were given: ${argument} and --file ${file}.`, "give only one of them");
}
