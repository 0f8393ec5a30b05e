import type { JSX } from "preact";
import { escapeHidden } from "../../../core/words/characters.ts";
import { usePage } from "../../console.ts";
import { Button } from "../../ui/Button.tsx";
import { CodeLine } from "../../ui/CodeLine.tsx";
import { driftText, isApplicable } from "./attention.ts";
import { keyOf } from "./rows.ts";
import type { driftOf, ProcessProps } from "./monitor.ts";

type Entries = ReturnType<typeof driftOf>;

/** The server never sends the values of variables. */
export function Drift({ drift, ...about }: ProcessProps & { drift: Entries }): JSX.Element {
  const { router } = usePage();
  return (
    <>
      <ul class="drift">
        {drift.map((entry) => (
          <li key={`${entry.field} ${entry.key ?? ""} ${entry.state} ${entry.declared}`}>
            <code>{entry.key ?? entry.field}</code>
            <span class="drift-words">{driftText(entry)}</span>
          </li>
        ))}
      </ul>
      <p>
        <a href={router.href("plan", ["environment", about.monitor.feed.environment.value])}>See the plan</a>, which
        ends every difference.
      </p>
      {drift.some(isApplicable) && <Apply {...about} />}
    </>
  );
}

function Apply({ process, monitor }: ProcessProps): JSX.Element {
  const { name, isOwn } = process;
  const environment = monitor.feed.environment.value;
  const key = keyOf(process);
  const isBusy = monitor.underWay.value.has(key);
  const apply = async (): Promise<void> => {
    const question = `Restart ${escapeHidden(name)} with the ecosystem file of ${environment}?`;
    const may = await monitor.mayEnd("Restart", [escapeHidden(name)], question);
    if (may) await monitor.act({ action: "restart", scope: "ecosystem", name }, key);
  };
  return (
    <div class="drift-apply">
      <p>Restart with the ecosystem file applies it.</p>
      <Button
        size="small"
        icon="restart"
        disabled={isBusy || isOwn || monitor.feed.state.value !== "live"}
        {...(isOwn && { reason: "It serves this page. Use the command." })}
        onClick={() => void apply()}
      >
        {isBusy ? "Restarting…" : "Restart with the ecosystem file"}
      </Button>
      <CodeLine
        text={`svcm restart ${name} ${monitor.flags.value}`}
        what="the command that restarts it with the ecosystem file"
      />
    </div>
  );
}
