import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { eventText } from "../../../core/events/event-text.ts";
import { useConsole } from "../../console.ts";
import type { ProcessShowResponse, SvcmEvent } from "../../../core/api/events.ts";
import { formatTime, inLocalTime } from "../../data/format.ts";
import { RequestProblem } from "../../ui/Problem.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { LogLink } from "../logs/LogLink.tsx";
import type { ProcessProps } from "./monitor.ts";

const LATE_SECONDS = 5;

export function Why({ process, monitor }: ProcessProps): JSX.Element {
  const { feed, events } = monitor;
  const { name, pmId, status, restartCount } = process;
  const newest = events.list.value.findLast(({ app }) => app === name)?.at;
  // PM2 may write the last lines after it records the end, so each sample reads them again for a while. A busy machine also says so late.
  const sampled = feed.newest.value?.time ?? 0;
  const since = useMemo(() => sampled, [newest]);
  const late = newest && sampled - since < LATE_SECONDS ? sampled : 0;
  const { report, problem, retry } = useReport(name, monitor, [status, restartCount, newest, late]);
  return (
    <div class="why-end" aria-busy={report === undefined && problem === undefined}>
      <RequestProblem problem={problem} retry={retry} />
      {report && <Report report={report} pmId={pmId} />}
    </div>
  );
}

/** Reads the report again when one of these changes. */
export function useReport(name: string, { feed }: ProcessProps["monitor"], changes: readonly unknown[]) {
  const { api, service } = useConsole();
  const environment = feed.environment.value;
  const { answer, last, ...rest } = useRequest(
    (signal) => api.process(name, environment, signal),
    [name, environment, service.value],
    changes,
  );
  return { report: answer ?? last, ...rest };
}

function Report({ report, pmId }: { report: ProcessShowResponse; pmId: number }): JSX.Element {
  const { why, ends, processes } = report;
  const { event, errorLines, known, now, reason, recentEnds } = why;
  const { ports, next = [] } = processes.find((one) => one.pmId === pmId) ?? {};
  const listensOn = [...new Set(ports?.map(({ port }) => port))].join(", ");
  return (
    <>
      {event ? <EventReport event={event} /> : <p>{inLocalTime(known)}</p>}
      {reason !== null && <p class="bad">Error log: {reason}</p>}
      {recentEnds > 1 && <p class="bad">It ended {recentEnds} times within 15 minutes without a request.</p>}
      {now.map((sentence) => (
        <p key={sentence} class="bad">
          {inLocalTime(sentence)}
        </p>
      ))}
      {errorLines.length > 0 && (
        <pre class="error-lines" aria-label="Last lines of its error log" tabIndex={0}>
          {errorLines.join("\n")}
        </pre>
      )}
      {ends.length > 1 && (
        <ul class="ends" aria-label="Ends before">
          {ends.slice(1).map((one) => (
            <li key={one.at}>
              <time dateTime={one.at}>{formatTime(one.at)}</time> {eventText(one)}
            </li>
          ))}
        </ul>
      )}
      <p class="next">
        {listensOn && `It listens on ${listensOn}. `}
        {next.join(" ")}
      </p>
    </>
  );
}

function EventReport({ event }: { event: SvcmEvent }): JSX.Element {
  const { app, at, evidence, actor } = event;
  return (
    <>
      <p class="ended">
        <time dateTime={at}>{formatTime(at)}</time> <strong>{eventText(event)}</strong>
      </p>
      <p class="evidence">
        {inLocalTime(evidence.join(" "))}
        {actor && ` By ${actor}.`}
      </p>
      {app && (
        <p>
          <LogLink app={app} at={at}>
            Log around it
          </LogLink>
        </p>
      )}
    </>
  );
}
