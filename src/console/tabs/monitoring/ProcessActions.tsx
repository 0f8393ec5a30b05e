import type { JSX } from "preact";
import type { Action, ProcessMetrics } from "../../../client/index.ts";
import { escapeHidden } from "../../../core/words/characters.ts";
import { usePage } from "../../console.ts";
import { pluralize } from "../../data/format.ts";
import { Button, IconButton, type IconName } from "../../ui/Button.tsx";
import type { Monitor } from "./monitor.ts";
import type { AppGroup } from "./rows.ts";

type Verb = Action["action"];

/** The key that restarts or reloads. */
export const AGAIN = "r";

const actions = [
  { action: "reload", icon: "restart", word: "Reload", busy: "Reloading…" },
  { action: "start", icon: "play", word: "Start", busy: "Starting…" },
  { action: "stop", icon: "stop", word: "Stop", busy: "Stopping…" },
  { action: "restart", icon: "restart", word: "Restart", busy: "Restarting…" },
] as const satisfies readonly { action: Verb; icon: IconName; word: string; busy: string }[];

export interface ProcessActionsProps {
  readonly row: AppGroup;
  readonly monitor: Monitor;
  readonly isInWords?: boolean;
  /** The only action to offer. */
  readonly only?: Verb | undefined;
  /** Distinguishes a process from others of the same name by its number. */
  readonly isNumbered?: boolean;
}

export function ProcessActions(props: ProcessActionsProps): JSX.Element {
  const { row, monitor, isInWords = false, isNumbered = false } = props;
  const { identity } = usePage();
  const { key, process, instances } = row;
  const { name, pmId } = process;
  const underWay = monitor.underWay.value.get(key);
  const isLive = monitor.feed.state.value === "live";
  const isOne = instances.length === 1;
  const whom = isOne ? `${name}${isNumbered ? ` (id ${pmId})` : ""}` : `${name}, ${allOf(instances)}`;
  const run = async (action: Verb, word: string): Promise<void> => {
    const isHarmless = action === "start" || instances.every(({ pid }) => pid === null);
    const question = `${word} ${escapeHidden(name)} (${isOne ? `PM2 id ${pmId}` : allOf(instances)})?`;
    if (isHarmless || (await monitor.mayEnd(word, [escapeHidden(name)], question)))
      await monitor.act({ action, scope: "process", ...targetOf(row) }, key);
  };
  return (
    <span class="process-actions" aria-busy={underWay !== undefined}>
      {offeredFor(row, props).map(({ action, icon, word, busy }) => {
        const isBusy = underWay === action;
        const reason = isBusy ? busy : (identity.reasonAgainst("act") ?? reasonAgainst(action, instances));
        const button = {
          icon,
          reason,
          disabled: underWay !== undefined || !isLive,
          onClick: () => void run(action, word),
        };
        return isInWords ? (
          <Button key={action} size="small" {...button}>
            {isBusy ? busy : isOne ? word : `${word} ${countText(action, instances)}`}
          </Button>
        ) : (
          <IconButton
            key={action}
            label={`${word} ${whom}`}
            isBusy={isBusy}
            {...(icon === "restart" && { "aria-keyshortcuts": AGAIN })}
            {...button}
          />
        );
      })}
    </span>
  );
}

/** A start leaves those alone that run. */
function countText(action: Verb, instances: readonly ProcessMetrics[]): string {
  const { length } = instances.filter((one) => reasonAgainstOne(action, one) === undefined);
  return length === instances.length ? `all ${length}` : `${length} of ${instances.length}`;
}

/** A reload keeps the other instances of a cluster, and so refuses no request. */
function offeredFor(
  { process, instances }: AppGroup,
  { isInWords, only }: Pick<ProcessActionsProps, "isInWords" | "only">,
) {
  const hasReload = process.execMode === "cluster" && instances.some(({ pid }) => pid !== null);
  if (only !== undefined) return actions.filter(({ action }) => action === only);
  return actions.filter(({ action }) => action !== (hasReload ? "restart" : "reload") || (hasReload && isInWords));
}

/** The action that may end the trouble. */
export function actionFor({ process: { pid, execMode, state } }: AppGroup): Verb {
  if (pid === null) return "start";
  return execMode === "cluster" && state !== "hung" ? "reload" : "restart";
}

function allOf(instances: readonly ProcessMetrics[]): string {
  return `all ${pluralize(instances.length, "instance")}`;
}

/** PM2's number selects one process; a name in its namespace selects all instances. */
function targetOf({ process: { name, pmId, namespace }, instances }: AppGroup): Omit<Action, "action"> {
  if (instances.length === 1) return { name, pmId };
  return { name, ...(namespace !== null && { namespace }) };
}

function reasonAgainst(action: Verb, instances: readonly ProcessMetrics[]): string | undefined {
  if (action !== "start" && instances.some(({ isOwn }) => isOwn)) return "It serves this page. Use the command line.";
  const reasons = instances.map((process) => reasonAgainstOne(action, process));
  return reasons.every((reason) => reason !== undefined) ? reasons[0] : undefined;
}

function reasonAgainstOne(action: Verb, { state, pid, kind }: ProcessMetrics): string | undefined {
  if (action === "start") return pid !== null && (state === "online" || state === "running") ? "It runs." : undefined;
  if (action !== "stop") return undefined;
  if (state === "stopped") return "It is stopped.";
  if (state === "errored" && pid === null) return "PM2 has given up on it: nothing runs.";
  return kind !== "service" && (state === "waiting" || state === "ended") ? "It does not run now." : undefined;
}
