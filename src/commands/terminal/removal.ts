import * as Flags from "@oclif/core/flags";
import type { DocumentEditResponse } from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { canAsk, withPrompter } from "./prompt.ts";
import { tellEdit } from "./document-edits.ts";

export const removeFlags = {
  yes: Flags.boolean({ char: "y", summary: "Do not ask for confirmation.", default: false }),
};

/** Removes an entry, after a question at a terminal. What is asked about was found first: a wrong name is told at once. */
export async function tellRemoval(
  command: SvcmCommand,
  flags: { readonly yes: boolean; readonly "dry-run": boolean },
  remove: (dryRun: boolean) => Promise<DocumentEditResponse>,
): Promise<DocumentEditResponse> {
  if (flags["dry-run"] || flags.yes || !canAsk(command)) return done(command, await remove(flags["dry-run"]));
  const planned = await remove(true);
  const answer = await withPrompter(command, (prompter) =>
    prompter.ask(`Remove ${planned.target} from ${planned.file}? (y/N) `),
  );
  if (/^y(?:es)?$/i.test(answer)) return done(command, await remove(false));
  command.log("Nothing was changed.");
  command.answerNo();
  return { ...planned, changed: false };
}

async function done(command: SvcmCommand, response: DocumentEditResponse): Promise<DocumentEditResponse> {
  await tellEdit(command, response, `Removed ${response.target} from ${response.file}.`);
  return response;
}
