import type { DriftEntry } from "../../core/index.ts";
import type { Screen } from "./screen.ts";
import { renderTable } from "./table.ts";

export function renderDrift(drift: readonly DriftEntry[], screen: Screen): string {
  return renderTable(
    [
      { heading: "APP", cell: ({ name }) => name, shorten: "middle" },
      { heading: "ID", cell: ({ pmIds }) => pmIds.join(", "), shorten: "fold", dropPriority: 1 },
      { heading: "FIELD", cell: ({ field, key }) => (key === null ? field : `${field} ${key}`), shorten: "fold" },
      { heading: "STATE", cell: ({ state }) => state, colour: (_, paint) => paint.yellow },
      {
        heading: "DECLARED",
        cell: ({ declared }) => driftValue(declared),
        shorten: "middle",
        colour: (_, paint) => paint.green,
      },
      {
        heading: "RUNNING",
        cell: ({ running }) => driftValue(running),
        shorten: "middle",
        colour: (_, paint) => paint.red,
      },
    ],
    drift,
    screen,
  );
}

function driftValue(value: DriftEntry["declared"]): string {
  return value === null ? "" : String(value);
}
