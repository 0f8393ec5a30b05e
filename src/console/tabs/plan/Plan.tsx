import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { PlanChoices } from "../../data/api.ts";
import { Button, IconButton, Icon } from "../../ui/Button.tsx";
import { Deploy } from "./Deploy.tsx";
import { TabHead, Card } from "../../ui/Card.tsx";
import { RequestProblem, StatusLine, StatusRegion } from "../../ui/Problem.tsx";
import { Confirm } from "./Confirm.tsx";
import { PlanCard } from "./PlanCard.tsx";
import { useRollout } from "./rollout.ts";
import { useSignal } from "@preact/signals";
import { usePage } from "../../console.ts";
import { Check } from "../../ui/Field.tsx";
import type { Release } from "../../../core/api/rollout.ts";
import { formatTime } from "../../data/format.ts";
import { ReleaseSteps } from "./Steps.tsx";

const tones = {
  running: "warning",
  applied: "good",
  unchanged: "",
  refused: "warning",
  reverted: "warning",
  half: "error",
} as const;

export function Plan(): JSX.Element {
  const rollout = useRollout();
  const isDeploying = useSignal(false);
  const missing = usePage().identity.reasonAgainst("write");
  useEffect(() => rollout.open(), [rollout]);
  return (
    <>
      <TabHead title="Plan" about="The steps that make PM2 run what the ecosystem file declares.">
        <Choice name="preflight" label="Preflight" about="Start each changed app once on a spare port first" />
        <Choice
          name="prune"
          label="Prune"
          about="Delete processes that an apply started and no file declares any more"
        />
        <IconButton
          icon="restart"
          label="Refresh"
          variant="plain"
          disabled={rollout.isRunning.value}
          onClick={() => void rollout.load()}
        />
        <Button icon="download" reason={missing} onClick={() => void (isDeploying.value = true)}>
          Deploy a commit…
        </Button>
      </TabHead>
      <RequestProblem problem={rollout.problem.value} retry={() => void rollout.load()} />
      {isDeploying.value && <Deploy onClose={() => void (isDeploying.value = false)} />}
      <ReleaseCard />
      {!rollout.isRunning.value && <PlanCard />}
      <Releases />
      <Confirm />
    </>
  );
}

interface ChoiceProps {
  readonly name: keyof PlanChoices;
  readonly label: string;
  readonly about: string;
}

function Choice({ name, label, about }: ChoiceProps): JSX.Element {
  const { choices, isRunning } = useRollout();
  return (
    <Check
      about={about}
      checked={choices.value[name] === true}
      disabled={isRunning.value}
      onChange={(isChecked) => void (choices.value = { ...choices.value, [name]: isChecked })}
    >
      {label}
    </Check>
  );
}

function Releases(): JSX.Element | null {
  const { releases } = useRollout();
  if (releases.value.length === 0) return null;
  return (
    <Card title="Releases" class="releases">
      <ol>
        {releases.value.map((release) => (
          <li key={release.id}>
            <Entry release={release} />
          </li>
        ))}
      </ol>
    </Card>
  );
}

function Entry({ release }: { release: Release }): JSX.Element {
  const { id, startedAt, environment, outcome, actor, source, git, message, undoes, code } = release;
  return (
    <details>
      <summary>
        <Icon name="chevron" />
        <time dateTime={startedAt}>{formatTime(startedAt)}</time>
        <span>{undoes === undefined ? environment : `${environment}, undoes ${undoes}`}</span>
        <span class={`badge ${tones[outcome]}`}>{outcome}</span>
        <span class="reason">
          {[actor, source, git?.commit.slice(0, 10)].filter(Boolean).join(", ")}
          {message !== undefined && <bdi> “{message}”</bdi>}
        </span>
      </summary>
      <p class="reason">
        Release <code>{id}</code>
        {code !== undefined && (
          <>
            , <code>{code}</code>
          </>
        )}
      </p>
      <ReleaseSteps of={release} />
      <div class="form-actions">
        <UndoButton release={release}>{`Back to before ${id}…`}</UndoButton>
      </div>
    </details>
  );
}

const results = {
  applied: ["success", "Done. The processes run as planned."],
  unchanged: ["success", "There was nothing to do."],
  refused: ["warning", "Refused before the first change. svcm changed no process."],
  reverted: ["warning", "A step failed, and svcm took back what it had changed."],
  half: ["error", "Some apps may run as before, and others as planned."],
} as const;

function ReleaseCard(): JSX.Element {
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

function UndoButton({ release, children }: { release: Release; children: string }): JSX.Element | null {
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
