import type { Paint } from "../../core/index.ts";
import { fold } from "./fit.ts";
import { paint } from "./paint.ts";
import type { Screen } from "./screen.ts";

type Colour = (text: string) => string;

export function statusColour(status: string, colours: Paint): Colour {
  if (status === "online") return colours.green;
  if (status === "errored") return colours.red;
  return status === "stopped" ? colours.dim : colours.yellow;
}

export function verdictColour(isValid: boolean, colours: Paint): Colour {
  return isValid ? colours.green : colours.red;
}

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
