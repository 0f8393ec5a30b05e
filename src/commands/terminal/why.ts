import { auditText, eventText, type WhyResponse } from "../../core/index.ts";

/** More do not fit into one look. */
const MOST_LINES = 10;

/** When and why a process last ended, its present state, and as many of the last lines of its error log as have room. */
export function whyLines({ app, event, processes, recentEnds, now, errorLines, complete }: WhyResponse): string[] {
  const partial = complete ? [] : ["PM2's log is too large to read whole."];
  const withErrors = (lines: readonly string[]): string[] => {
    if (errorLines.length === 0) return [...lines];
    const room = Math.max(1, MOST_LINES - lines.length - 1);
    return [...lines, "Last lines of its error log:", ...errorLines.slice(-room).map((line) => `  ${line}`)];
  };
  if (event === null) return withErrors([`PM2's log has no end of ${app} in the last 30 days.`, ...now, ...partial]);
  const { at, evidence, actor } = event;
  return withErrors([
    `${auditText.secondOf(at)}  ${eventText(event)}`,
    ...evidence.map((sentence) => `  ${sentence}`),
    ...(actor === undefined ? [] : [`  By ${actor}.`]),
    ...(recentEnds > 1 ? [`  It ended by itself ${recentEnds} times in the 15 minutes before.`] : []),
    ...(processes.length === 0 ? [] : [`Now: ${processes.map(({ status }) => status).join(", ")}.`]),
    ...now,
    ...partial,
  ]);
}
