import { useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { formatTime } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemText } from "../../ui/Problem.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import type { Monitor } from "./monitor.ts";

/** A connection that comes back at once is nobody's concern. */
const PATIENCE_MS = 1_500;

/** What stands between the screen and live values. No number in it counts: it is read out. */
export function ConnectionBanner({ monitor: { feed } }: { monitor: Monitor }): JSX.Element {
  const isLost = useSignal(false);
  useSignalEffect(() => {
    if (feed.state.value !== "connecting") {
      isLost.value = false;
      return;
    }
    const timer = setTimeout(() => void (isLost.value = true), PATIENCE_MS);
    return () => clearTimeout(timer);
  });
  const refusal = feed.refusal.value;
  const retry = (
    <Button size="small" onClick={() => feed.tryNow()}>
      Try now
    </Button>
  );
  return (
    <StatusRegion>
      {refusal && (
        <StatusLine tone="error" action={retry}>
          <ProblemText problem={{ error: refusal.details, code: refusal.code }} />
        </StatusLine>
      )}
      {!refusal && isLost.value && (
        <StatusLine tone="error" action={retry}>
          <strong>No connection to the server.</strong> <LastUpdate at={feed.shown.value?.time} /> It is tried again by
          itself.
        </StatusLine>
      )}
      {feed.state.value === "stale" && (
        <StatusLine tone="warning" action={retry}>
          <strong>Nothing comes over the connection.</strong> <LastUpdate at={feed.shown.value?.time} />
        </StatusLine>
      )}
    </StatusRegion>
  );
}

function LastUpdate({ at }: { at: number | undefined }): JSX.Element {
  return at === undefined ? <></> : <>The values below are old, of {formatTime(at * 1000).slice(11)}.</>;
}
