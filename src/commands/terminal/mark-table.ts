import type { MarkListResponse } from "../../core/api/alerts.ts";
import { inLocalTime } from "../../core/words/time.ts";
import type { Column } from "./table.ts";

type Mark = MarkListResponse["marks"][number];

const subject: Column<Mark> = { heading: "SUBJECT", cell: (mark) => mark.subject };
const time = (at = ""): string => inLocalTime(at);

export const MARK_COLUMNS: Readonly<Record<"mute" | "note", readonly Column<Mark>[]>> = {
  mute: [
    subject,
    { heading: "KINDS", cell: ({ mute }) => mute?.kinds.join(", ") ?? "" },
    { heading: "UNTIL", cell: ({ mute }) => time(mute?.until) },
    { heading: "BY", cell: ({ mute }) => mute?.by ?? "", dropPriority: 2 },
    { heading: "REASON", cell: ({ mute }) => mute?.reason ?? "", shorten: "end", dropPriority: 1 },
  ],
  note: [
    subject,
    { heading: "NOTE", cell: ({ note }) => note?.text ?? "", shorten: "end" },
    { heading: "BY", cell: ({ note }) => note?.by ?? "", dropPriority: 1 },
    { heading: "AT", cell: ({ note }) => time(note?.at), dropPriority: 2 },
  ],
};
