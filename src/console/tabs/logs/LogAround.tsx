import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { LogLine } from "../../../client/index.ts";
import { useConsole } from "../../console.ts";
import { formatTime } from "../../data/format.ts";
import { ToggleButton } from "../../ui/Button.tsx";
import { RequestProblem } from "../../ui/Problem.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { readAround, type Around } from "./around.ts";
import { Line } from "./ProcessLog.tsx";

interface LogAroundProps {
  readonly app: string;
  readonly at: string;
  readonly isOpen?: boolean | undefined;
}

/** The lines before and after the moment, read when the user opens it. */
export function LogAround({ app, at, isOpen: isFirst = false }: LogAroundProps): JSX.Element {
  const { api, identity } = useConsole();
  const reason = identity.reasonAgainst("logs");
  const isOpen = useSignal(isFirst && reason === undefined);
  const ask = () => readAround(app, at, (query) => api.logs(query));
  const { answer, problem, retry } = useRequest(isOpen.value ? ask : undefined, [isOpen.value, app, at]);
  return (
    <div class="log">
      <ToggleButton isOpen={isOpen} reason={reason}>
        Log around it
      </ToggleButton>
      <RequestProblem problem={problem} retry={retry} />
      {answer && <Lines app={app} at={at} around={answer} />}
    </div>
  );
}

function Lines({ app, at, around }: Pick<LogAroundProps, "app" | "at"> & { around: Around }): JSX.Element {
  const { before, after, untimed, isWhole, problems } = around;
  const box = useRef<HTMLDivElement>(null);
  const moment = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (box.current && moment.current)
      box.current.scrollTop = moment.current.offsetTop - box.current.offsetTop - box.current.clientHeight / 2;
  }, [around]);
  const isTimed = before.length + after.length > 0;
  const time = formatTime(at).slice(11);
  return (
    <>
      {problems.map(({ details }) => (
        <p key={details}>{details}</p>
      ))}
      {!isWhole && <p>The log is too large to show every line around {time}. Some are left out.</p>}
      {!isTimed && untimed.length === 0 && <p>Its log has no line around {time}.</p>}
      {isTimed && (
        <div ref={box} class="log-lines" role="region" aria-label={`Log of ${app} around ${at}`} tabIndex={0}>
          <Rows lines={before} />
          <div ref={moment} class="log-moment">
            {time} {after.length === 0 && "(no line in the 30 s after it)"}
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
          <div class="log-lines" role="region" aria-label={`Newest lines of ${app} without a time`} tabIndex={0}>
            <Rows lines={untimed} />
          </div>
        </>
      )}
    </>
  );
}

function Rows({ lines }: { lines: readonly LogLine[] }): JSX.Element {
  return (
    <>
      {lines.map((line) => (
        <Line key={`${line.file} ${line.offset}`} line={line} />
      ))}
    </>
  );
}
