import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { usePage } from "../../console.ts";
import { pluralize } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { keyOf } from "./rows.ts";
import type { Monitor } from "./monitor.ts";

/** A longer list would push the processes off the screen. */
const MAX_OPEN = 3;

/** Declared apps that PM2 does not know. They keep their places while the user points at them. */
export function MissingApps({ monitor }: { monitor: Monitor }): JSX.Element | null {
  const { feed, frozen } = monitor;
  const metrics = feed.displayed.value?.metrics;
  const known = new Set(metrics?.processes.map(({ name }) => name));
  const unknown = metrics?.ecosystem.missingExpected.filter((name) => !known.has(name)) ?? [];
  const missing = frozen.value?.missing ?? unknown;
  const release = (): void => void (frozen.value = undefined);
  const hold = (): void => void (frozen.value ??= { keys: new Set(metrics?.processes.map(keyOf)), missing: unknown });
  useEffect(() => release, [monitor]);
  if (metrics === undefined || missing.length === 0) return null;
  return (
    <details class="missing" open={missing.length <= MAX_OPEN}>
      <summary>
        <h3>
          {pluralize(missing.length, "app")} declared in <code>{metrics.ecosystem.fileName}</code>, not known to PM2
        </h3>
      </summary>
      <ul
        onPointerEnter={hold}
        onPointerLeave={release}
        onFocusIn={({ target }) => (target as Element).matches(":focus-visible") && hold()}
        onFocusOut={release}
      >
        {missing.map((name) => (
          <li key={name}>
            <bdi>{name}</bdi>
            <Start name={name} monitor={monitor} isStarted={known.has(name)} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** The button stays after the start, because it may have the focus. */
function Start({ name, monitor, isStarted }: { name: string; monitor: Monitor; isStarted: boolean }): JSX.Element {
  const isBusy = monitor.underWay.value.has(name);
  const reason = usePage().identity.reasonAgainst("act");
  const start = async (): Promise<void> => {
    if (!isStarted && !isBusy) await monitor.startDeclared([name], "Start");
  };
  return (
    <Button
      size="small"
      icon={isStarted ? "check" : "play"}
      aria-label={`${isStarted ? "Started" : "Start"} ${name}`}
      aria-disabled={isStarted || isBusy}
      disabled={monitor.feed.state.value !== "live"}
      reason={reason}
      onClick={() => void start()}
    >
      {isStarted ? "Started" : isBusy ? "Starting…" : "Start"}
    </Button>
  );
}
