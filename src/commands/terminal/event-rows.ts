import { type EventRow, eventText, type Paint, type SvcmEvent } from "../../core/index.ts";
import { inLocalTime } from "../../core/words/time.ts";
import type { Screen } from "./screen.ts";
import { type Column, fold, renderTable } from "./table.ts";

/** In a narrower window, the columns of a table would leave a few letters for each cell. */
const MIN_TABLE_WIDTH = 72;

/** A table, or in a narrow window one paragraph for each row. */
export function eventRowsText(rows: readonly EventRow[], screen: Screen): string {
  const { width = MIN_TABLE_WIDTH } = screen;
  if (width < MIN_TABLE_WIDTH) return rows.map((row) => fold(eventLine(row, row.count), screen)).join("\n");
  const hasNodes = rows.some(({ node }) => node !== undefined);
  return renderTable(hasNodes ? [TIME, NODE, ...COLUMNS] : [TIME, ...COLUMNS], rows, screen);
}

export function eventLine(event: SvcmEvent, count = 1): string {
  const of = event.node === undefined ? "" : `${event.node}  `;
  const sentence = eventText(event);
  const evidence = event.evidence.filter((one) => one !== sentence);
  const times = count === 1 ? [] : [`×${count}`];
  return [`${inLocalTime(event.at)}  ${of}${sentence}`, ...times, ...evidence].join(" ");
}

const TIME: Column<EventRow> = { heading: "TIME", cell: ({ at }) => inLocalTime(at) };
const NODE: Column<EventRow> = { heading: "NODE", cell: ({ node = "" }) => node };

const COLUMNS: readonly Column<EventRow>[] = [
  { heading: "PROCESS", cell: processLabel, shorten: "middle" },
  { heading: "EVENT", cell: ({ kind, count }) => (count === 1 ? kind : `${kind} ×${count}`), colour: kindColour },
  { heading: "CAUSE", cell: ({ cause, certainty }) => (certainty === "certain" ? cause : `${cause}?`) },
  { heading: "EVIDENCE", cell: ({ evidence }) => evidence.join(" "), shorten: "fold" },
];

function processLabel({ app, pmId }: SvcmEvent): string {
  if (app === null) return "-";
  return pmId === undefined ? app : `${app} (${pmId})`;
}

function kindColour({ kind }: SvcmEvent, { red, green, yellow }: Paint) {
  if (kind === "exit") return red;
  return kind === "start" ? green : yellow;
}
