import { auditText, eventText, type WhyResponse } from "../../core/index.ts";

/** When and why a process last ended, its present state, and the last lines of its error log. */
export function whyLines({ app, event, processes, recentEnds, now, errorLines, complete }: WhyResponse): string[] {
  const partial = complete ? [] : ["PM2's log is too large to read whole."];
  const errors =
    errorLines.length === 0 ? [] : ["Last lines of its error log:", ...errorLines.map((line) => `  ${line}`)];
  if (event === null) return [`PM2's log has no end of ${app} in the last 30 days.`, ...now, ...partial, ...errors];
  const { at, evidence, actor } = event;
  return [
    `${auditText.secondOf(at)}  ${eventText(event)}`,
    ...evidence.map((sentence) => `  ${sentence}`),
    ...(actor === undefined ? [] : [`  By ${actor}.`]),
    ...(recentEnds > 1 ? [`  It ended ${recentEnds} times without an order in the 15 minutes before.`] : []),
    ...(processes.length === 0 ? [] : [`Now: ${processes.map(({ status }) => status).join(", ")}.`]),
    ...now,
    ...partial,
    ...errors,
  ];
}
