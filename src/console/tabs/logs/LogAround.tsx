import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useConsole } from "../../console.ts";
import { ToggleButton } from "../../ui/Button.tsx";
import { RequestProblem } from "../../ui/Problem.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { Line } from "./ProcessLog.tsx";

const AROUND_MS = 30_000;
const LIMIT = "500";

interface LogAroundProps {
  readonly app: string;
  readonly at: string;
  readonly isOpen?: boolean | undefined;
}

/** Half a minute before and after the moment, read when the user opens it. */
export function LogAround({ app, at, isOpen: isFirst = false }: LogAroundProps): JSX.Element {
  const { api } = useConsole();
  const isOpen = useSignal(isFirst);
  const [since, until] = [-AROUND_MS, AROUND_MS].map((by) => String(Date.parse(at) + by));
  const ask = () => api.logs({ app, since, until, limit: LIMIT });
  const { answer, problem, retry } = useRequest(isOpen.value ? ask : undefined, [isOpen.value, app, at]);
  const lines = answer?.lines.filter((line) => line.at !== null);
  return (
    <div class="log">
      <ToggleButton isOpen={isOpen}>Log around it</ToggleButton>
      <RequestProblem problem={problem} retry={retry} />
      {lines?.length === 0 && <p>Its log has no line with a time around it.</p>}
      {lines !== undefined && lines.length > 0 && (
        <div class="log-lines" role="region" aria-label={`Log of ${app} around ${at}`} tabIndex={0}>
          {lines.map((line) => (
            <Line key={`${line.file} ${line.offset}`} line={line} />
          ))}
        </div>
      )}
    </div>
  );
}
