import * as Flags from "@oclif/core/flags";
import type { DocumentEditResponse } from "../../core/index.ts";
import type { SvcmCommand } from "../base.ts";
import { printEdit } from "./document-edits.ts";
import { canAsk, confirm } from "./prompt.ts";

export const removeFlags = {
  yes: Flags.boolean({ char: "y", summary: "Do not ask for confirmation.", default: false }),
};

export async function removeEntry(
  command: SvcmCommand,
  flags: { readonly yes: boolean; readonly "dry-run": boolean },
  remove: (dryRun: boolean) => Promise<DocumentEditResponse>,
): Promise<DocumentEditResponse> {
  if (!flags["dry-run"] && !flags.yes && canAsk(command)) {
    const planned = await remove(true);
    if (!(await confirm(`Remove ${planned.target} from ${planned.file}?`))) {
      command.log("Nothing was changed.");
      command.answerNo();
      return { ...planned, changed: false };
    }
  }
  const response = await remove(flags["dry-run"]);
  printEdit(command, response, `Removed ${response.target} from ${response.file}.`);
  return response;
}
