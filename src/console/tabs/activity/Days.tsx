import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { eventText } from "../../../core/events/event-text.ts";
import { UNKNOWN } from "../../data/format.ts";
import { isFailure } from "../../data/events.ts";
import { formatLink } from "../../state/address.ts";
import { ToggleButton } from "../../ui/Button.tsx";
import { LogAround } from "../logs/LogAround.tsx";
import { eventsAfter, groupByDay, type ActivityRow } from "./rows.ts";

const COLUMNS = ["When", "Action", "Environment", "Keys or process", "By", "Outcome"];

export interface DaysProps {
  readonly isFleet: boolean;
  readonly rows: readonly ActivityRow[];
  readonly visible: readonly ActivityRow[];
}

export function Days({ rows, visible, isFleet }: DaysProps): JSX.Element {
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
              row.kind === "change" ? (
                <Change key={row.key} row={row} rows={rows} />
              ) : (
                <Event key={row.key} row={row} />
              ),
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

function Change({ row, rows }: { row: Of<"change">; rows: readonly ActivityRow[] }): JSX.Element {
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
          {outcome !== "refused" && <ToggleButton isOpen={isOpen}>Events after it</ToggleButton>}
        </td>
      </tr>
      {isOpen.value && <After found={eventsAfter(row, rows)} />}
    </>
  );
}

function Outcome({ words: { outcome, code, times } }: { words: Of<"change">["words"] }): JSX.Element {
  return (
    <>
      <span class={`badge ${tones[outcome]}`}>{outcome}</span>
      {code !== "" && (
        <>
          {" "}
          <code class="issue-code">{code}</code>
        </>
      )}
      {times !== "" && <small> {times}</small>}
    </>
  );
}

function After({ found }: { found: readonly ActivityRow[] }): JSX.Element {
  return (
    <tr class="after">
      <td colSpan={COLUMNS.length}>
        {found.length === 0 && <p>No process started or ended in the 15 minutes after it.</p>}
        <ul>
          {found.map((row) => (
            <li key={row.key}>
              <Time row={row} /> {row.kind === "event" && eventText(row.event)}
            </li>
          ))}
        </ul>
      </td>
    </tr>
  );
}

function NodeLink({ node }: { node: string }): JSX.Element {
  return (
    <a class="node-name" href={formatLink({ tab: "activity", parameters: [["node", node]] })}>
      {node}
    </a>
  );
}

function Event({ row }: { row: Of<"event"> }): JSX.Element {
  const { event, subject, timestamp } = row;
  const { app, kind, cause, certainty, evidence, node } = event;
  return (
    <tr class="event">
      <td class="when">
        <Time row={row} />
      </td>
      <th scope="row">{kind}</th>
      <td data-name="Node" class={node === undefined ? "none" : ""}>
        {node === undefined ? UNKNOWN : <NodeLink node={node} />}
      </td>
      <td data-name="Keys or process" class="what">
        <bdi>{subject}</bdi>
        <small>{evidence.join(" ")}</small>
        {app !== null && node === undefined && <LogAround app={app} at={timestamp} />}
      </td>
      <td data-name="By" class={event.actor === undefined ? "none" : "who"}>
        {event.actor ?? UNKNOWN}
      </td>
      <td>
        <span class={`badge ${isFailure(event) ? "error" : ""}`}>
          {cause}
          {certainty !== "certain" && "?"}
        </span>
      </td>
    </tr>
  );
}
