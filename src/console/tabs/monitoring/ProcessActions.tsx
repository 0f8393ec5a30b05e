import type { JSX } from "preact";
import { Button, IconButton } from "../../ui/Button.tsx";
import type { IconName } from "../../ui/Icon.tsx";
import { keyOf } from "./history.ts";
import type { ProcessProps } from "./monitor.ts";

const actions = [
  { action: "start", icon: "play", word: "Start" },
  { action: "stop", icon: "stop", word: "Stop" },
  { action: "restart", icon: "restart", word: "Restart" },
] as const satisfies readonly { action: string; icon: IconName; word: string }[];

/** Start, stop and restart. What ends a running process asks first. */
export function ProcessActions({
  process,
  monitor,
  isInWords = false,
}: ProcessProps & { isInWords?: boolean }): JSX.Element {
  const { name, pmId, status } = process;
  const key = keyOf(process);
  const isBusy = monitor.acting.value.has(key);
  const run = (action: (typeof actions)[number]["action"]): void => {
    const isAsked = action === "start" || status === "stopped";
    if (!isAsked && !confirm(`${action === "stop" ? "Stop" : "Restart"} ${name} (PM2 id ${pmId})?`)) return;
    void monitor.act({ action, scope: "process", name, pmId }, key);
  };
  return (
    <span class="process-actions" aria-busy={isBusy}>
      {actions.map(({ action, icon, word }) => {
        const isPointless = action === "start" ? status === "online" : action === "stop" && status === "stopped";
        const disabled = isBusy || isPointless || monitor.feed.state.value !== "live";
        return isInWords ? (
          <Button key={action} size="small" icon={icon} disabled={disabled} onClick={() => run(action)}>
            {word}
          </Button>
        ) : (
          <IconButton
            key={action}
            icon={icon}
            label={`${word} ${name}`}
            disabled={disabled}
            onClick={() => run(action)}
          />
        );
      })}
    </span>
  );
}
