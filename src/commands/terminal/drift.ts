import { visible, type DriftEntry } from "../../core/index.ts";
import type { Screen } from "./screen.ts";
import { renderTable } from "./table.ts";

/** What differs, one row each. */
export function renderDrift(drift: readonly DriftEntry[], screen: Screen): Promise<string> {
  return renderTable(
    [
      { heading: "APP", cell: ({ name }) => visible(name) },
      { heading: "ID", cell: ({ pmIds }) => pmIds.join(", ") },
      { heading: "FIELD", cell: ({ field, key }) => (key === null ? field : visible(`${field} ${key}`)) },
      { heading: "STATE", cell: ({ state }) => state },
      { heading: "DECLARED", cell: ({ declared }) => shown(declared) },
      { heading: "RUNNING", cell: ({ running }) => shown(running) },
    ],
    drift,
    screen,
  );
}

function shown(value: DriftEntry["declared"]): string {
  return value === null ? "" : visible(String(value));
}
