import type { JSX } from "preact";
import type { Release } from "../../../core/api/rollout.ts";
import { usePage } from "../../console.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Card } from "../../ui/Card.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { ReleaseSteps } from "./Steps.tsx";
import { useRollout } from "./rollout.ts";

const results = {
  applied: ["success", "Done. The processes run as planned."],
  unchanged: ["success", "There was nothing to do."],
  refused: ["warning", "Refused before the first change. svcm changed no process."],
  reverted: ["warning", "A step failed, and svcm took back what it had changed."],
  half: ["error", "Some apps may run as before, and others as planned."],
} as const;

export function ReleaseCard(): JSX.Element {
  const { current } = useRollout();
  const { value: release } = current;
  return (
    <>
      <StatusRegion>{release && <Progress release={release} />}</StatusRegion>
      {release && (
        <Card title={titleOf(release)}>
          <ReleaseSteps of={release} />
        </Card>
      )}
    </>
  );
}

/** One line, because each change is announced. */
function Progress({ release }: { release: Release }): JSX.Element {
  const { current } = useRollout();
  const { outcome, steps, code } = release;
  const dismiss = <IconButton icon="close" label="Dismiss" onClick={() => void (current.value = undefined)} />;
  if (outcome === "running") {
    const at = steps.findLastIndex(({ phase }) => phase === "begun");
    const { do: kind = "", app = "" } = steps[at] ?? {};
    return (
      <StatusLine tone="info">
        {at < 0 ? "Running." : `Step ${at + 1} of ${steps.length}: ${kind} ${app}`}
        <progress value={Math.max(at, 0)} max={steps.length} aria-label="Progress" />
      </StatusLine>
    );
  }
  const [tone, words] = results[outcome];
  const actions = (
    <span class="form-actions">
      <UndoButton release={release}>Undo…</UndoButton>
      {dismiss}
    </span>
  );
  return (
    <StatusLine tone={tone} action={actions}>
      <strong>{words}</strong> {code !== undefined && <code>{code}</code>}
    </StatusLine>
  );
}

export function UndoButton({ release, children }: { release: Release; children: string }): JSX.Element | null {
  const { confirming, isRunning } = useRollout();
  const reason = usePage().identity.reasonAgainst("write");
  if (release.outcome !== "applied" && release.outcome !== "half") return null;
  return (
    <Button
      size="small"
      icon="undo"
      disabled={isRunning.value}
      reason={reason}
      onClick={() => void (confirming.value = release)}
    >
      {children}
    </Button>
  );
}

function titleOf({ id, plan, undoes }: Release): string {
  return undoes === undefined ? `Release ${id} of plan ${plan}` : `Release ${id} undoes ${undoes}`;
}
