import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { LogLine } from "../../../client/index.ts";
import { logLevels, type LogLevel } from "../../../core/api/names.ts";
import { formatFields } from "../../../core/logs/fields-text.ts";
import { useConsole } from "../../console.ts";
import { download } from "../../data/download.ts";
import { formatTime } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { Check, InlineSelect, Select, TextField } from "../../ui/Field.tsx";
import { EmptyState, TabHead } from "../../ui/Card.tsx";
import { StatusLine, StatusRegion } from "../../ui/Problem.tsx";
import { monitorOf } from "../monitoring/monitor.ts";
import { Around } from "./Around.tsx";
import { LogFeed } from "./log-feed.ts";
import { LogLines } from "./LogLines.tsx";
import { appsWithoutTimes, countErrors, logsOf } from "./log-rows.ts";

const TYPING_MS = 250;
const LEVELS = [{ value: "", label: "all levels" }, ...logLevels.map((value) => ({ value }))];

export function Logs(): JSX.Element {
  const page = useConsole();
  const { apps, at } = logsOf(page);
  useEffect(() => monitorOf(page).feed.open(), [page]);
  const reason = page.identity.reasonAgainst("logs");
  return (
    <>
      <TabHead
        title="Logs"
        about="The lines of one or several apps, merged by their times. A time is the link of its line."
      >
        <Apps />
      </TabHead>
      {reason !== undefined && <StatusLine tone="warning">{reason}</StatusLine>}
      {apps.value.length === 0 && <EmptyState icon="search" title="Choose an app" />}
      {reason === undefined && apps.value.length > 0 && (
        <div class="log">{at.value === "" ? <Followed /> : <Around apps={apps.value} at={at.value} />}</div>
      )}
    </>
  );
}

function Apps(): JSX.Element {
  const { apps, choose, known } = logsOf(useConsole());
  const others = known.value.filter((name) => !apps.value.includes(name));
  return (
    <>
      {apps.value.map((name) => (
        <Button
          key={name}
          size="small"
          icon="close"
          aria-label={`Without ${name}`}
          onClick={() => choose(apps.value.filter((other) => other !== name))}
        >
          <bdi>{name}</bdi>
        </Button>
      ))}
      <InlineSelect
        class="switch"
        label="Add"
        value=""
        options={[{ value: "", label: "an app…" }, ...others.map((value) => ({ value }))]}
        onChange={(name) => choose([...apps.value, name])}
      />
    </>
  );
}

function Followed(): JSX.Element {
  const page = useConsole();
  const { api } = page;
  const { feed } = monitorOf(page);
  const { apps, search, level, isWrapped } = logsOf(page);
  const names = apps.value.join(",");
  const log = useMemo(
    () => new LogFeed({ apps: apps.value, api, follow: (...about) => feed.logs(...about) }),
    [names, api, feed],
  );
  const [grep, least] = [search.value, level.value];
  const open = (): void => log.open({ grep: grep || undefined, level: (least || undefined) as LogLevel | undefined });
  useEffect(() => {
    // Each search scans the file, so it waits for the end of the word.
    const timer = setTimeout(open, log.hasBegun.peek() ? TYPING_MS : 0);
    return () => {
      clearTimeout(timer);
      log.close();
    };
  }, [log, grep, least]);
  const { problem, skipped, hasBegun, lines } = log;
  return (
    <>
      <form class="log-tools" onSubmit={(event) => event.preventDefault()}>
        <TextField label="Search the log" value={grep} onChange={(text) => void (search.value = text)} />
        <Select label="Minimum level" value={least} options={LEVELS} onChange={(name) => void (level.value = name)} />
        <Check
          checked={isWrapped.value}
          onChange={(isOn) => {
            isWrapped.value = isOn;
            page.preferences.set("logs.wrap", isOn ? "on" : undefined);
          }}
        >
          Wrap
        </Check>
        {log.older.value !== null && <Button onClick={() => void log.readOlder()}>Older lines</Button>}
        <Button icon="download" onClick={() => download(`${names}.log`, toText(lines.value))}>
          Download
        </Button>
      </form>
      {problem.value && <StatusLine tone="warning">{problem.value}</StatusLine>}
      {skipped.value > 0 && <StatusLine tone="warning">Lines left out, too many at once: {skipped.value}.</StatusLine>}
      <Stopped log={log} again={open} />
      {hasBegun.value && lines.value.length === 0 && !problem.value && (
        <p>{grep || least ? "No line matches." : "The log has no line yet."}</p>
      )}
      <AboutTimes lines={lines.value} />
      <LogLines label={`Log of ${apps.value.join(", ")}`} log={log} />
    </>
  );
}

function AboutTimes(props: { lines: readonly LogLine[] }): JSX.Element {
  return (
    <>
      <WithoutTimes {...props} />
      <Errors {...props} />
    </>
  );
}

/** Such lines cannot be merged, and keep the place where they were read. */
function WithoutTimes({ lines }: { lines: readonly LogLine[] }): JSX.Element | null {
  const names = useMemo(() => appsWithoutTimes(lines), [lines]);
  if (names.length === 0) return null;
  return (
    <p class="reason">
      No line of <bdi>{names.join(", ")}</bdi> has a time, so these lines are not merged with the others.
    </p>
  );
}

function toText(lines: readonly LogLine[]): string {
  const texts = lines.map(({ at, app, level, text, fields }) =>
    [at, app, level, `${text}${formatFields(fields)}`].filter(Boolean).join(" "),
  );
  return `${texts.join("\n")}\n`;
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

/** The errors among the lines over their time; a bar is the link to the lines around it. */
function Errors({ lines }: { lines: readonly LogLine[] }): JSX.Element | null {
  const { router } = useConsole();
  const { apps } = logsOf(useConsole());
  const bins = useMemo(() => countErrors(lines), [lines]);
  // A single error does not fill the height.
  const most = Math.max(4, ...bins.map(({ errors }) => errors));
  if (bins.every(({ errors }) => errors === 0)) return null;
  return (
    <ol class="log-errors" data-name="Errors" aria-label="Errors in these lines, over their time">
      {bins.map(({ at, errors }) => (
        <li key={at} title={`${formatTime(at).slice(11)}: ${errors}`}>
          {errors > 0 && (
            <a
              href={router.href("logs", ["apps", apps.value.join(",")], ["at", at])}
              aria-label={`${errors} from ${formatTime(at).slice(11)} on`}
              style={{ height: `${Math.max(15, (errors / most) * 100)}%` }}
            />
          )}
        </li>
      ))}
    </ol>
  );
}
