import type { JSX } from "preact";
import { useConsole } from "../../console.ts";
import { formatBytes, formatTime } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { CodeLine } from "../../ui/CodeLine.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import type { Monitor } from "./monitor.ts";
import { ranges } from "./view.ts";

/** Longer ranges need recorded values. */
const MIN_RECORDED_RANGE = ranges["15m"];

export function Recording({ monitor: { history, view } }: { monitor: Monitor }): JSX.Element {
  const { toasts, router } = useConsole();
  const recorder = history.recorder.value;
  const isLong = view.seconds.value >= MIN_RECORDED_RANGE;
  const isHere = router.node === "";
  const record = (): void => void history.record(true).catch((error: unknown) => toasts.error(error, "record"));
  return (
    <StatusRegion>
      {recorder?.problem && (
        <StatusLine tone="error">
          <strong>The last step was not recorded.</strong> {recorder.problem.details} ({recorder.problem.code})
        </StatusLine>
      )}
      {recorder && !recorder.on && isLong && isHere && (
        <StatusLine
          tone="info"
          action={
            <Button size="small" onClick={record}>
              Record
            </Button>
          }
        >
          <strong>The past is not recorded.</strong> A recording measures every 10 seconds, takes about 0.2 % of a core
          for 20 processes and at most 64 MB in <code>.svcm/history</code>, and lasts until the server ends. This line
          of <code>svcm.yaml</code> records at each start: <CodeLine text="record: true" what="the line" />
        </StatusLine>
      )}
      {recorder?.on && recorder.since !== null && isLong && (
        <p class="recording">
          Recording · {formatBytes(recorder.bytes)} since {formatTime(recorder.since)}
        </p>
      )}
    </StatusRegion>
  );
}
