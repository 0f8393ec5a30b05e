import type { JSX } from "preact";
import type { Action, ProcessMetrics } from "../../../client/index.ts";
import { unhidden } from "../../../core/deployments/characters.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import type { IconName } from "../../ui/Icon.tsx";
import { keyOf } from "./history.ts";
import type { ProcessProps } from "./monitor.ts";

type Verb = Action["action"];

const actions = [
  { action: "start", icon: "play", word: "Start", busy: "Starting…" },
  { action: "stop", icon: "stop", word: "Stop", busy: "Stopping…" },
  { action: "restart", icon: "restart", word: "Restart", busy: "Restarting…" },
] as const satisfies readonly { action: Verb; icon: IconName; word: string; busy: string }[];

/** Start, stop and restart. The page asks before it ends a running process. */
export function ProcessActions({
  process,
  monitor,
  isInWords = false,
}: ProcessProps & { isInWords?: boolean }): JSX.Element {
  const { name, pmId, status } = process;
  const key = keyOf(process);
  const underWay = monitor.underWay.value.get(key);
  const isLive = monitor.feed.state.value === "live";
  const run = (action: Verb, word: string): void => {
    const isHarmless = action === "start" || status === "stopped";
    if (isHarmless || confirm(`${word} ${unhidden(name)} (PM2 id ${pmId})?`))
      void monitor.act({ action, scope: "process", name, pmId }, key);
  };
  return (
    <span class="process-actions" aria-busy={underWay !== undefined}>
      {actions.map(({ action, icon, word, busy }) => {
        const isBusy = underWay === action;
        const reason = isBusy ? busy : reasonAgainst(action, process);
        const props = {
          icon,
          ...(reason !== undefined && { reason }),
          disabled: underWay !== undefined || reason !== undefined || !isLive,
          onClick: () => run(action, word),
        };
        return isInWords ? (
          <Button key={action} size="small" {...props}>
            {isBusy ? busy : word}
          </Button>
        ) : (
          <IconButton key={action} label={`${word} ${name}`} isBusy={isBusy} {...props} />
        );
      })}
    </span>
  );
}

/** The reason why an action would be refused, or would do nothing. */
function reasonAgainst(action: Verb, { status, pid, isOwn }: ProcessMetrics): string | undefined {
  if (action === "start") return status === "online" ? "It is online." : undefined;
  if (isOwn) return "It serves this page. Use the command line.";
  if (action !== "stop") return undefined;
  if (status === "stopped") return "It is stopped.";
  return status === "errored" && pid === null ? "PM2 has given up on it: nothing runs." : undefined;
}
