import { useSignal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { formatTime } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { ProblemLine } from "../../ui/Problem.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import type { Monitor } from "./monitor.ts";

/** Shorter interruptions are not reported. */
const DELAY_MS = 1_500;

/** The banner overlays the page, so that nothing moves when it appears. */
export function ConnectionBanner({ monitor: { feed } }: { monitor: Monitor }): JSX.Element {
  const isLost = useSignal(false);
  useSignalEffect(() => {
    if (feed.state.value !== "connecting") {
      isLost.value = false;
      return;
    }
    const timer = setTimeout(() => void (isLost.value = true), DELAY_MS);
    return () => clearTimeout(timer);
  });
  const refusal = feed.refusal.value;
  const retry = (
    <Button size="small" onClick={() => feed.reconnect()}>
      Try now
    </Button>
  );
  return (
    <div class="connection-banner">
      <StatusRegion>
        {refusal && <ProblemLine problem={{ error: refusal.details, code: refusal.code }} action={retry} />}
        {!refusal && isLost.value && (
          <StatusLine tone="error" action={retry}>
            <strong>No connection to the server.</strong> <LastUpdate at={feed.displayed.value?.time} /> Reconnecting.
          </StatusLine>
        )}
        {feed.state.value === "stale" && (
          <StatusLine tone="warning" action={retry}>
            <Silence feed={feed} /> PM2 does not answer, or the network is slow.{" "}
            <LastUpdate at={feed.displayed.value?.time} />
          </StatusLine>
        )}
      </StatusRegion>
    </div>
  );
}

/** Screen readers do not announce the seconds, because they change constantly. */
function Silence({ feed }: Pick<Monitor, "feed">): JSX.Element {
  const seconds = useSignal(feed.silentSeconds());
  useSignalEffect(() => {
    const timer = setInterval(() => void (seconds.value = feed.silentSeconds()), 1_000);
    return () => clearInterval(timer);
  });
  if (seconds.value === undefined) return <strong>No sample yet.</strong>;
  return (
    <strong>
      No sample for <span aria-hidden="true">{seconds.value} s</span>
      <span class="hidden">some seconds</span>.
    </strong>
  );
}

function LastUpdate({ at }: { at: number | undefined }): JSX.Element {
  return at === undefined ? <></> : <>The values are from {formatTime(at * 1000).slice(11)}.</>;
}
