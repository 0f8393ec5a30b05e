/** The suite document that a command is about: `--file`, or the one argument of a command that only reads. */
import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { UsageError } from "./usage-error.ts";

const DEFAULT = "deployments.yaml";

export const fileFlag = flagWith("Suite document, relative to the repository root.");

/** For commands that also read a document from standard input. */
export const pipedFileFlag = flagWith("Suite document, relative to the repository root; - reads standard input.");

function flagWith(summary: string) {
  return Flags.string({ summary, default: DEFAULT, helpValue: "<file>" });
}

export const documentArgs = {
  document: Args.string({
    ignoreStdin: true,
    description: `Suite document, instead of --file. By default ${DEFAULT}.`,
  }),
};

/** The document that was named. @throws {UsageError} if the argument and `--file` name two */
export function documentOf(argument: string | undefined, file: string): string {
  if (argument === undefined || argument === file) return file;
  if (file === DEFAULT) return argument;
  throw new UsageError(`Two documents are named: ${argument} and --file ${file}.`, "name one of them");
}
