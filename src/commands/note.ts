import * as Args from "@oclif/core/args";
import { markList, markNote } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { UsageError } from "./terminal/errors.ts";
import { warnUnknownSubject, MARK_COLUMNS } from "./terminal/mark-lines.ts";
import { printTable } from "./terminal/table.ts";

export default class Note extends SvcmCommand {
  static override summary = "Leave a note about an app for those who come next, or list the notes.";
  static override description = "The console shows it with the app. An empty text removes it.";
  static override examples = [
    "<%= config.bin %> note",
    '<%= config.bin %> note scheduler "stopped for the migration, Ann starts it on Monday"',
    '<%= config.bin %> note scheduler ""',
  ];
  static override args = {
    subject: Args.string({ ignoreStdin: true, description: "An app, or the subject of an alert." }),
    text: Args.string({ ignoreStdin: true, description: "The note; an empty text removes it." }),
  };

  async run() {
    const { args } = await this.parse(Note);
    const { subject, text } = args;
    if (text === undefined && subject?.includes(" "))
      throw new UsageError(
        "A note names its app first. Accepted: svcm note APP TEXT.",
        `svcm note APP ${JSON.stringify(subject)}`,
      );
    if (subject === undefined || text === undefined) {
      const { marks } = await this.execute(markList, {});
      const noted = marks.filter((mark) => mark.note !== undefined && (subject ?? mark.subject) === mark.subject);
      printTable(
        this,
        MARK_COLUMNS.note,
        noted,
        subject === undefined ? "There is no note." : `${subject} has no note.\nNext: svcm note ${subject} TEXT`,
      );
      return { marks: noted };
    }
    const response = await this.execute(markNote, { subject, text });
    this.log(text === "" ? `${subject} has no note.` : `Noted for ${subject}.`);
    if (text !== "") await warnUnknownSubject(this, subject);
    return response;
  }
}
