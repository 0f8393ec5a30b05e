import type { JSX } from "preact";
import { Button } from "../../ui/Button.tsx";
import type { Monitor } from "./monitor.ts";

/** Apps that the ecosystem file declares and no online process runs. */
export function MissingApps({ monitor }: { monitor: Monitor }): JSX.Element | null {
  const metrics = monitor.feed.shown.value?.metrics;
  const known = new Set(metrics?.processes.map(({ name }) => name));
  // One that PM2 knows has a row of its own.
  const missing = metrics?.ecosystem.missingExpected.filter((name) => !known.has(name)) ?? [];
  if (missing.length === 0) return null;
  return (
    <div class="missing">
      <h3>
        Declared in <code>{metrics?.ecosystem.fileName}</code>, not known to PM2
      </h3>
      <ul>
        {missing.map((name) => (
          <li key={name}>
            <span>{name}</span>
            <Button
              size="small"
              icon="play"
              aria-label={`Start ${name}`}
              disabled={monitor.acting.value.has(name) || monitor.feed.state.value !== "live"}
              onClick={() => void monitor.act({ action: "start", scope: "ecosystem", name }, name)}
            >
              Start
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}
