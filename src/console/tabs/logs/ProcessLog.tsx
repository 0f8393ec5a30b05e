import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { LogLine } from "../../../client/index.ts";
import { logLevels, type LogLevel } from "../../../core/api/names.ts";
import { formatFields } from "../../../core/logs/fields-text.ts";
import { useConsole } from "../../console.ts";
import { formatTime } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { Select } from "../../ui/Select.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { TextField } from "../../ui/TextField.tsx";
import type { Feed } from "../monitoring/feed.ts";
import { LogFeed } from "./log-feed.ts";

const ROW_PX = 20;
const TYPING_MS = 250;
/** Rows drawn beyond the visible part. */
const MARGIN = 10;
const LEVELS = [{ value: "", label: "all levels" }, ...logLevels.map((value) => ({ value }))];

/** Reads nothing until the user opens it. */
export function ProcessLog({ app, feed }: { app: string; feed: Feed }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const reason = useConsole().identity.reasonAgainst("logs");
  if (isOpen) return <OpenLog app={app} feed={feed} />;
  return (
    <Button reason={reason} onClick={() => setOpen(true)}>
      Show the log
    </Button>
  );
}

function OpenLog({ app, feed }: { app: string; feed: Feed }): JSX.Element {
  const { api } = useConsole();
  const log = useMemo(() => new LogFeed({ app, api, follow: (...about) => feed.logs(...about) }), [app, api, feed]);
  const [grep, setGrep] = useState("");
  const [level, setLevel] = useState("");
  const open = (): void => log.open({ grep: grep || undefined, level: (level || undefined) as LogLevel | undefined });
  useEffect(() => {
    // Each search scans the file, so it waits for the end of the word.
    const timer = setTimeout(open, log.hasBegun.peek() ? TYPING_MS : 0);
    return () => {
      clearTimeout(timer);
      log.close();
    };
  }, [log, grep, level]);
  const { problem, skipped, hasBegun, lines } = log;
  return (
    <div class="log">
      <form class="log-tools" onSubmit={(event) => event.preventDefault()}>
        <TextField label="Search the log" value={grep} onChange={setGrep} />
        <Select label="Minimum level" value={level} options={LEVELS} onChange={setLevel} />
        {log.older.value !== null && <Button onClick={() => void log.readOlder()}>Older lines</Button>}
      </form>
      {problem.value && <StatusLine tone="warning">{problem.value}</StatusLine>}
      {skipped.value > 0 && <StatusLine tone="warning">Lines left out, too many at once: {skipped.value}.</StatusLine>}
      <Stopped log={log} again={open} />
      {hasBegun.value && lines.value.length === 0 && (
        <p>{grep || level ? "No line matches." : "The log has no line yet."}</p>
      )}
      <Lines app={app} log={log} />
    </div>
  );
}

/** A log that has stopped must not look like one without news. */
function Stopped({ log, again }: { log: LogFeed; again: () => void }): JSX.Element {
  const { stoppedAt, isEnded } = log;
  const action = isEnded.value && (
    <Button size="small" onClick={again}>
      Follow again
    </Button>
  );
  return (
    <StatusRegion>
      {stoppedAt.value !== undefined && (
        <StatusLine tone="warning" action={action}>
          <strong>The log stopped at {formatTime(stoppedAt.value).slice(11)}.</strong>{" "}
          {!isEnded.value && "It goes on when the server answers."}
        </StatusLine>
      )}
    </StatusRegion>
  );
}

function Lines({ app, log }: { app: string; log: LogFeed }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const lines = log.lines.value;
  const fresh = log.fresh.value;
  const toEnd = (): void => box.current?.scrollTo({ top: box.current.scrollHeight });
  const follow = (): void => {
    log.hold(false);
    toEnd();
  };
  useLayoutEffect(() => {
    if (fresh === 0) toEnd();
  }, [lines, fresh]);
  const first = Math.max(0, Math.floor(top / ROW_PX) - MARGIN);
  const count = Math.ceil((box.current?.clientHeight ?? 400) / ROW_PX) + 2 * MARGIN;
  return (
    <div class="log-frame">
      <div
        ref={box}
        class="log-lines"
        role="log"
        aria-live="off"
        aria-label={`Log of ${app}`}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          setTop(scrollTop);
          log.hold(scrollTop + clientHeight < scrollHeight - ROW_PX);
        }}
      >
        <div style={{ height: `${lines.length * ROW_PX}px`, paddingTop: `${first * ROW_PX}px` }}>
          {lines.slice(first, first + count).map((line) => (
            <Line key={`${line.file} ${line.offset}`} line={line} />
          ))}
        </div>
      </div>
      {fresh > 0 && <Button onClick={follow}>{fresh} new</Button>}
    </div>
  );
}

export function Line({ line }: { line: LogLine }): JSX.Element {
  const { at, stream, level, text, fields } = line;
  const shown = `${text}${formatFields(fields)}`;
  return (
    <div class={`log-line ${level ?? stream}`} title={shown.slice(0, 4000)}>
      <time>{at === null ? "" : formatTime(at).slice(11)}</time> <b>{level ?? (stream === "err" ? "err" : "")}</b>{" "}
      {shown.slice(0, 1000)}
    </div>
  );
}
