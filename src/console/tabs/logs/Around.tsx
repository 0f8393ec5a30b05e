import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { LogLine } from "../../../client/index.ts";
import { useConsole } from "../../console.ts";
import { formatTime } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { RequestProblem } from "../../ui/Problem.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { readAround, type Around as Found } from "./around.ts";
import { Line, useStacks } from "./LogLines.tsx";
import { keyOf, logsOf } from "./log-rows.ts";

interface AroundProps {
  readonly apps: readonly string[];
  readonly at: string;
}

/** The lines before and after a moment, of all the apps. */
export function Around({ apps, at }: AroundProps): JSX.Element {
  const { api } = useConsole();
  const state = logsOf(useConsole());
  const place = `${apps.join()} ${at}`;
  const ask = async () => ({ place, around: await readAround(apps, at, (query) => api.logs(query)) });
  const { answer, problem, retry } = useRequest(ask, [place]);
  return (
    <>
      <p>
        <Button onClick={() => void (state.at.value = "")}>To the newest lines</Button>
      </p>
      <RequestProblem problem={problem} retry={retry} />
      {answer?.place === place && <Lines apps={apps} at={at} around={answer.around} />}
    </>
  );
}

function Lines({ apps, at, around }: AroundProps & { around: Found }): JSX.Element {
  const { before, after, untimed, isWhole, problems } = around;
  const box = useRef<HTMLDivElement>(null);
  const moment = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (box.current && moment.current)
      box.current.scrollTop = moment.current.offsetTop - box.current.offsetTop - box.current.clientHeight / 2;
  }, [around]);
  const isTimed = before.length + after.length > 0;
  // A log that was not read to its end may hold any line.
  const isRead = isWhole && problems.length === 0;
  const time = formatTime(at).slice(11);
  const names = apps.join(", ");
  return (
    <>
      {problems.map(({ details }) => (
        <p key={details}>{details}</p>
      ))}
      {!isWhole && <p>The log is too large to show every line around {time}. Some are left out.</p>}
      {isRead && !isTimed && untimed.length === 0 && <p>The log has no line around {time}.</p>}
      {isTimed && (
        <div ref={box} class="log-lines" role="region" aria-label={`Log of ${names} around ${at}`} tabIndex={0}>
          <Rows lines={before} />
          {/* The moment itself sticks to the edges, so its place is that of this element. */}
          <div ref={moment} />
          <div class="log-moment">
            {formatTime(at)}{" "}
            {isRead &&
              after.length === 0 &&
              (Date.now() - Date.parse(at) < 30_000 ? "(no line after it yet)" : "(no line within 30 s after it)")}
          </div>
          <Rows lines={after} />
        </div>
      )}
      {untimed.length > 0 && (
        <>
          <p>
            These lines have no time, so they are the newest of their log, and not those of {time}. With{" "}
            <code>time: true</code> in the ecosystem file, PM2 writes the time before each line.
          </p>
          <div class="log-lines" role="region" aria-label={`Newest lines of ${names} without a time`} tabIndex={0}>
            <Rows lines={untimed} />
          </div>
        </>
      )}
    </>
  );
}

function Rows({ lines }: { lines: readonly LogLine[] }): JSX.Element {
  const { rows, toggle } = useStacks(lines);
  return (
    <>
      {rows.map((row) => (
        <Line key={keyOf(row.line)} row={row} onStack={toggle} />
      ))}
    </>
  );
}
