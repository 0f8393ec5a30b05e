import { shellQuote } from "../../core/words/shell.ts";
import {
  countStates,
  toPrintable,
  unknownText,
  type DriftEntry,
  type Paint,
  type ProcessStateName,
  type UnknownPart,
} from "../../core/index.ts";
import { fold } from "./fit.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";
import { renderTable } from "./table.ts";
import type { Verdict } from "./verdict.ts";

interface Judged {
  readonly state: ProcessStateName;
  readonly problem: { readonly code: string } | null;
}

/** A list without a problem is not called good: what is declared may be missing. */
export function processVerdict(processes: readonly (Judged & { readonly name: string })[]): Verdict {
  const failing = processes.filter(({ problem }) => problem !== null);
  const [first] = failing;
  if (first === undefined) return { text: countStates(processes) };
  const count = `${countStates(processes).replace(/\.$/, "")}; ${failing.length} with a problem.`;
  return { text: count, tone: "bad", next: `svcm why ${shellQuote(first.name)}` };
}

export function stateColour({ state, problem }: Judged, colours: Paint): (text: string) => string {
  if (problem !== null) return colours.red;
  if (GOOD_STATES.has(state)) return colours.green;
  return state === "stopped" ? colours.dim : colours.yellow;
}

const GOOD_STATES: ReadonlySet<ProcessStateName> = new Set(["online", "running", "waiting", "ended"]);

interface ProblematicProcess {
  readonly name: string;
  readonly pmId: number;
  readonly problem: { readonly code: string; readonly details: string } | null;
}

export function renderProblems(processes: readonly ProblematicProcess[], screen: Screen): string {
  const lines = processes.flatMap(({ name, pmId, problem }) =>
    problem === null ? [] : [`${paint.red(problem.code)} ${name} (id ${pmId}): ${problem.details}`],
  );
  return fold(lines.join("\n"), screen);
}

export function renderDrift(drift: readonly DriftEntry[], screen: Screen): string {
  return renderTable(
    [
      { heading: "APP", cell: ({ name }) => name, shorten: "middle" },
      { heading: "ID", cell: ({ pmIds }) => pmIds.join(", "), shorten: "fold", dropPriority: 1 },
      { heading: "FIELD", cell: ({ field, key }) => (key === null ? field : `${field} ${key}`), shorten: "fold" },
      { heading: "STATE", cell: ({ state }) => state, colour: (_, { yellow }) => yellow },
      {
        heading: "DECLARED",
        cell: ({ declared, details }) => details ?? driftValue(declared),
        shorten: "middle",
        colour: (_, { green }) => green,
      },
      {
        heading: "RUNNING",
        cell: ({ running, details }) => (details === undefined ? driftValue(running) : ""),
        shorten: "middle",
        colour: (_, { red }) => red,
      },
    ],
    drift,
    screen,
  );
}

export function renderUnknown(unknown: readonly UnknownPart[], screen: Screen): string {
  const lines = unknown.map((one) => paint.yellow(`? ${unknownText(one, toPrintable)}`));
  return fold(lines.join("\n"), screen);
}

function driftValue(value: DriftEntry["declared"]): string {
  return value === null ? "" : String(value);
}
