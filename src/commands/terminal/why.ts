import { auditText, eventText, type WhyResponse } from "../../core/index.ts";

/** More lines are hard to take in. */
const MAX_LINES = 10;

export function whyLines({ app, event, processes, recentEnds, now, errorLines, complete }: WhyResponse): string[] {
  const incompleteNote = complete ? [] : ["PM2's log is too large to read whole."];
  const appendErrors = (lines: readonly string[]): string[] => {
    if (errorLines.length === 0) return [...lines];
    const room = Math.max(1, MAX_LINES - lines.length - 1);
    return [...lines, "Last lines of its error log:", ...errorLines.slice(-room).map((line) => `  ${line}`)];
  };
  const state = [...stateLines(app, processes), ...now, ...incompleteNote];
  if (event === null) return appendErrors([...state, `PM2's log shows no exit of this process in the last 30 days.`]);
  const { at, evidence, actor } = event;
  return appendErrors([
    `${auditText.secondOf(at)}  ${eventText(event)}`,
    ...evidence.map((sentence) => `  ${sentence}`),
    ...(actor === undefined ? [] : [`  By ${actor}.`]),
    ...(recentEnds > 1 ? [`  It ended ${recentEnds} times within 15 minutes without a request.`] : []),
    ...state,
  ]);
}

function stateLines(app: string, processes: WhyResponse["processes"]): string[] {
  if (processes.length === 0) return [];
  const isGivenUp = processes.some(({ status }) => status === "errored");
  const next = isGivenUp ? ` PM2 does not start it again; svcm process restart ${app} does.` : "";
  return [`Now: ${processes.map(({ status }) => status).join(", ")}.${next}`];
}
