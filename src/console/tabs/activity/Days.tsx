import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { eventText } from "../../../core/events/event-text.ts";
import { useConsole } from "../../console.ts";
import { formatTime, UNKNOWN } from "../../data/format.ts";
import { isFailure } from "../../data/events.ts";
import { formatLink } from "../../state/address.ts";
import { Button } from "../../ui/Button.tsx";
import { RequestProblem } from "../../ui/Problem.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { LogLink } from "../logs/LogLink.tsx";
import { readAfter, type Repeated, groupByDay, type ActivityRow } from "./rows.ts";

const COLUMNS = ["When", "Action", "Environment", "Keys or process", "By", "Outcome"];

export interface DaysProps {
  readonly isFleet: boolean;
  readonly visible: readonly ActivityRow[];
}

export function Days({ visible, isFleet }: DaysProps): JSX.Element {
  return (
    <section class="card flush" aria-label="Records">
      <table class="rows activity-rows" aria-label="Activity">
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th key={name} scope="col">
                {isFleet && name === "Environment" ? "Node" : name}
              </th>
            ))}
          </tr>
        </thead>
        {groupByDay(visible).map((day) => (
          <tbody key={day.name}>
            <tr class="day">
              <th colSpan={COLUMNS.length} scope="rowgroup">
                {day.name}
              </th>
            </tr>
            {day.rows.map((row) =>
              row.kind === "change" ? <Change key={row.key} row={row} /> : <Event key={row.key} row={row} />,
            )}
          </tbody>
        ))}
      </table>
    </section>
  );
}

const tones = { succeeded: "good", failed: "error", refused: "warning", started: "warning" } as const;

type Of<Kind> = Extract<ActivityRow, { readonly kind: Kind }>;

function Time({ row: { timestamp, when } }: { row: ActivityRow }): JSX.Element {
  return <time dateTime={timestamp}>{when.slice(11)}</time>;
}

function Change({ row }: { row: Of<"change"> }): JSX.Element {
  const isOpen = useSignal(false);
  const { action, environment, subjects, keys, by, outcome } = row.words;
  return (
    <>
      <tr>
        <td class="when">
          <Time row={row} />
        </td>
        <th scope="row">{action}</th>
        <td data-name="Environment" class={environment === "" ? "none" : ""}>
          {environment || UNKNOWN}
        </td>
        <td data-name="Keys or process" class="what">
          {subjects.map((subject) => (
            <bdi key={subject}>{subject}</bdi>
          ))}
          {keys.map((key) => (
            <code key={key}>{key}</code>
          ))}
          {subjects.length + keys.length === 0 && UNKNOWN}
        </td>
        <td data-name="By" class="who">
          {by}
        </td>
        <td>
          <Outcome words={row.words} />
          {outcome !== "refused" && (
            <Button size="small" aria-expanded={isOpen.value} onClick={() => void (isOpen.value = !isOpen.value)}>
              Events after it
            </Button>
          )}
        </td>
      </tr>
      {isOpen.value && <EventsAfter record={row.record} />}
    </>
  );
}

function Outcome({ words: { outcome, code, times } }: { words: Of<"change">["words"] }): JSX.Element {
  return (
    <>
      <span class={`badge ${tones[outcome]}`}>{outcome}</span>
      {code !== "" && <code class="issue-code"> {code}</code>}
      {times !== "" && <small> {times}</small>}
    </>
  );
}

function EventsAfter({ record }: Pick<Of<"change">, "record">): JSX.Element {
  const { api } = useConsole();
  const { answer, problem, retry } = useRequest(
    (signal) => readAfter(record, Date.now(), (query) => api.events(query, signal)),
    [record.id],
  );
  const names = [...new Set(record.processes?.map(({ name }) => name))].join(", ");
  const subject = names === "" ? "No process" : `No process of ${names}`;
  return (
    <tr class="after">
      <td colSpan={COLUMNS.length}>
        <RequestProblem problem={problem} retry={retry} />
        {answer?.isNothing && (
          <p>
            {subject} started or ended until {clockTime(answer.until)}.
          </p>
        )}
        {answer && <Lane title="On request" list={answer.onRequest} />}
        {answer && <Lane title="By itself" list={answer.byItself} />}
        {answer?.cutAt !== undefined && <p>Events before {clockTime(answer.cutAt)} are left out.</p>}
        {answer?.isComplete === false && <p>Part of PM2's log was not read, so events may be missing.</p>}
      </td>
    </tr>
  );
}

function clockTime(at: string | number): string {
  return formatTime(at).slice(11);
}

function Lane({ title, list }: { title: string; list: readonly Repeated[] }): JSX.Element | null {
  if (list.length === 0) return null;
  return (
    <>
      <p class="lane">{title}</p>
      <ul aria-label={title}>
        {list.map(({ event, from, count }) => (
          <li key={`${event.at} ${eventText(event)} ${event.actor}`}>
            <time dateTime={from}>{clockTime(from)}</time> {eventText(event)}
            <Times count={count} until={clockTime(event.at)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Times({ count, until }: { count: number; until: string }): JSX.Element | null {
  if (count === 1) return null;
  return (
    <small>
      <strong> ×{count}</strong> until {until}
    </small>
  );
}

function NodeLink({ node }: { node: string }): JSX.Element {
  return (
    <a class="node-name" href={formatLink({ tab: "activity", parameters: [["node", node]] })}>
      {node}
    </a>
  );
}

function Cause({ event }: Pick<Of<"event">, "event">): JSX.Element {
  const { cause, certainty } = event;
  return (
    <span class={`badge ${isFailure(event) ? "error" : ""}`}>
      {cause}
      {cause !== "unknown" && certainty !== "certain" && "?"}
    </span>
  );
}

function Event({ row }: { row: Of<"event"> }): JSX.Element {
  const { event, timestamp, count = 1, since = "" } = row;
  const sentence = eventText(event);
  const { app, evidence, node, actor } = event;
  return (
    <tr class="event">
      <td class="when">
        <Time row={row} />
      </td>
      <th scope="row">
        <bdi>{sentence}</bdi>
        {count > 1 && (
          <small>
            <strong> ×{count}</strong> since {since.slice(11)}
          </small>
        )}
      </th>
      {node !== undefined && (
        <td data-name="Node">
          <NodeLink node={node} />
        </td>
      )}
      <td class="what" colSpan={node === undefined ? 3 : 2}>
        {actor !== undefined && <span>By {actor}.</span>}
        <small>{evidence.filter((one) => one !== sentence).join(" ")}</small>
      </td>
      <td>
        <Cause event={event} />
        {app !== null && node === undefined && (
          <LogLink app={app} at={timestamp}>
            Log around it
          </LogLink>
        )}
      </td>
    </tr>
  );
}
