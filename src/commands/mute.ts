import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { markList, markMute, SvcmError } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";
import { inLocalTime } from "../core/words/time.ts";
import { warnUnknownSubject, MARK_COLUMNS } from "./terminal/mark-lines.ts";
import { printTable } from "./terminal/table.ts";

export default class Mute extends SvcmCommand {
  static override summary = "Mute the present troubles of an app until a time, or list what is muted.";
  static override description =
    "No alert is sent for them, and the console lists them as muted. The mute ends by itself. A new kind of trouble is not muted: an app that was muted while it was errored is reported if it hangs. Without --kind, svcm measures and mutes the kinds that it finds. Every mute is in the audit log.";
  static override examples = [
    "<%= config.bin %> mute",
    '<%= config.bin %> mute feed-importer --until monday --reason "the feed is down until then"',
    "<%= config.bin %> mute /var --kind disk --until 2h",
    "<%= config.bin %> mute feed-importer --off",
  ];
  static override args = {
    subject: Args.string({
      ignoreStdin: true,
      description: "An app, a mount point, PM2 or reboot, as in an alert.",
    }),
  };
  static override flags = {
    until: Flags.string({
      helpValue: "<time>",
      summary: "A duration such as 2h or 3d, a day of the week at nine, or a time; at most 92 days from now.",
    }),
    kind: Flags.string({
      multiple: true,
      helpValue: "<kind>",
      summary: "Mute this kind, even if it is not present. A rule of an alert, a state or a code.",
    }),
    reason: Flags.string({ summary: "Why, for those who come next." }),
    off: Flags.boolean({ summary: "End the mute.", exclusive: ["until", "kind", "reason"], default: false }),
  };

  async run() {
    const { args, flags } = await this.parse(Mute);
    const { subject } = args;
    if (subject === undefined) {
      const { marks } = await this.execute(markList, {});
      const muted = marks.filter(({ mute }) => mute !== undefined);
      printTable(this, MARK_COLUMNS.mute, muted, "Nothing is muted.");
      return { marks: muted };
    }
    if (!flags.off && flags.until === undefined)
      throw new SvcmError("INVALID_REQUEST", {
        details: "A mute needs an end. Accepted: --until 2h, --until monday, or --off.",
      });
    const { until, kind: kinds, reason } = flags;
    const response = await this.execute(markMute, { subject, until, kinds, reason });
    const mute = response.marks.find((mark) => mark.subject === subject)?.mute;
    this.log(
      mute === undefined
        ? `${subject} is not muted.`
        : `${subject} is muted until ${inLocalTime(mute.until)}: ${mute.kinds.join(", ")}.`,
    );
    if (mute !== undefined) await warnUnknownSubject(this, subject);
    return response;
  }
}
