import * as Args from "@oclif/core/args";
import { auditText, eventText, eventWhy, type WhyResponse } from "../core/index.ts";
import { SvcmCommand } from "./base.ts";

export default class Why extends SvcmCommand {
  static override summary = "Show when and why a process last ended.";
  static override description =
    "Shows the last end within 30 days, its evidence, and the last lines of the process's error log. The causes come from PM2's log and svcm's audit log. The error log is shown only while PM2 knows the process, because its secrets are hidden then. Exits 1 if no end is recorded.";
  static override examples = ["<%= config.bin %> why orders-api", "<%= config.bin %> why orders-api --json"];
  static override args = {
    name: Args.string({ ignoreStdin: true, required: true, description: "Name of the process." }),
  };

  async run() {
    const { args } = await this.parse(Why);
    const response = await this.execute(eventWhy, { name: args.name });
    if (response.event === null) this.answerNo();
    this.print(() => render(response));
    return response;
  }
}

function render({ app, event, recentEnds, errorLines, complete }: WhyResponse): string {
  const partial = complete ? [] : ["PM2's log is too large to read whole."];
  const errors =
    errorLines.length === 0 ? [] : ["Last lines of its error log:", ...errorLines.map((line) => `  ${line}`)];
  if (event === null) return [`PM2's log has no end of ${app} in the last 30 days.`, ...partial, ...errors].join("\n");
  const { at, evidence, actor } = event;
  return [
    `${auditText.secondOf(at)}  ${eventText(event)}`,
    ...evidence.map((sentence) => `  ${sentence}`),
    ...(actor === undefined ? [] : [`  By ${actor}.`]),
    ...(recentEnds > 1 ? [`  It ended ${recentEnds} times without an order in the 15 minutes before.`] : []),
    ...partial,
    ...errors,
  ].join("\n");
}
