import { useSignal, type Signal } from "@preact/signals";
import type { JSX, ComponentChildren } from "preact";
import type { RollbackPlan } from "../../../core/api/rollout-requests.ts";
import type { Plan, Release } from "../../../core/api/rollout.ts";
import {
  changedFilesText,
  countSteps,
  keptCodeText,
  linkText,
  returnText,
} from "../../../core/rollout/report/words.ts";
import { useConsole } from "../../console.ts";
import { capitalize } from "../../data/format.ts";
import { Check, TextField, ticked } from "../../ui/Field.tsx";
import { IssueList, RequestProblem, ProblemLine, StatusLine, StatusRegion } from "../../ui/Problem.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { Disruption, PlannedSteps } from "./Steps.tsx";
import { useRollout } from "./rollout.ts";
import { refusalsOf, type Accepted, switchesOf } from "./selection.ts";
import { isProductionName } from "../../../core/words/production.ts";
import type { Problem } from "../../data/request-error.ts";
import { FormDialog } from "../../ui/Dialog.tsx";

export function Confirm(): JSX.Element | null {
  const { confirming } = useRollout();
  const { value: subject } = confirming;
  if (subject === undefined) return null;
  return "outcome" in subject ? <Undo release={subject} /> : <Apply plan={subject} />;
}

function Apply({ plan }: { plan: Plan }): JSX.Element {
  const rollout = useRollout();
  const message = useSignal("");
  const allowDirty = useSignal(false);
  const { id, environment, git, steps } = plan;
  const dirty = git?.dirty ?? [];
  const refusals = refusalsOf(plan);
  return (
    <ConfirmPlan
      title={`Apply plan ${id} to ${environment}?`}
      plan={plan}
      sending={rollout}
      onClose={() => rollout.cancel()}
      word="Apply"
      isReady={plan.changed && refusals.length === 0 && (dirty.length === 0 || allowDirty.value)}
      run={(accepted) => rollout.apply(plan, { ...accepted, allowDirty: allowDirty.value, message: message.value })}
    >
      <p>{capitalize(countSteps(plan))}. A step that fails stops it and restores its apps.</p>
      <IssueList issues={refusals} label="Issues of the plan" />
      <PlannedSteps steps={steps.filter((step) => step.do !== "save")} />
      {dirty.length > 0 && (
        <Check {...ticked(allowDirty)}>
          <span>No commit holds {dirty.join(", ")}. Apply these files as they are.</span>
        </Check>
      )}
      <TextField
        label="Note for the release (optional)"
        value={message.value}
        onChange={(text) => void (message.value = text.slice(0, 200))}
      />
    </ConfirmPlan>
  );
}

function Undo({ release }: { release: Release }): JSX.Element {
  const rollout = useRollout();
  const { api } = useConsole();
  const { id, environment } = release;
  // A refusal may mean that the rollback plan is out of date.
  const request = (signal: AbortSignal): Promise<RollbackPlan> => api.rollbackPlan(id, signal);
  const { answer, problem, retry } = useRequest(request, [id, rollout.refusal.value]);
  const later = rollout.releases.value.filter((other) => other.id > id && hasAppOf(other, release));
  return (
    <ConfirmDialog
      title={`Undo release ${id}?`}
      environment={environment}
      sending={rollout}
      onClose={() => rollout.cancel()}
      word="Undo"
      isDangerous
      isReady={answer?.changed === true}
      run={async () => answer && (await rollout.undo(answer))}
    >
      <RequestProblem problem={problem} retry={retry} />
      {answer && <Effects plan={answer} />}
      <p>
        {release.deploy === undefined ? "Files, code and data stay as they are. " : "Code goes back, data stays. "}
        This can be undone.
      </p>
      {later.length > 0 && (
        <StatusLine tone="warning">
          Later releases of them are undone: {later.map((other) => other.id).join(", ")}.
        </StatusLine>
      )}
    </ConfirmDialog>
  );
}

function hasAppOf(release: Release, { steps }: Release): boolean {
  return release.steps.some(({ app }) => app !== "" && steps.some((step) => step.app === app));
}

function Effects({ plan: { changed, steps, keptCode, code, current } }: { plan: RollbackPlan }): JSX.Element {
  if (!changed) return <p>Every app runs as before the release.</p>;
  return (
    <>
      <p>The apps of the release:</p>
      <ul class="effects">
        {steps.map((step) => (
          <li key={step.app}>
            <bdi>{step.app}</bdi> {step.changed && <Disruption of={step.disruption} />}
            <p class="reason">{capitalize(returnText(step))}</p>
          </li>
        ))}
      </ul>
      {current && <p>{linkText(current)}</p>}
      {keptCode && <p>{keptCodeText(keptCode)}</p>}
      {code && <StatusLine tone="warning">{changedFilesText(code)}</StatusLine>}
    </>
  );
}

interface ConfirmDialogProps {
  readonly title: string;
  readonly environment: string;
  readonly word: string;
  readonly isDangerous: boolean;
  readonly isReady?: boolean;
  readonly sending: {
    readonly isSending: Signal<boolean>;
    readonly refusal: Signal<Problem | undefined>;
  };
  readonly run: () => Promise<unknown>;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** In production, the user types the name of the environment. A refusal stays in the dialog. */
function ConfirmDialog({ environment, word, isReady = true, sending, run, ...rest }: ConfirmDialogProps): JSX.Element {
  const isSending = sending.isSending.value;
  const refusal = sending.refusal.value;
  return (
    <FormDialog
      {...rest}
      verb={isSending ? "Beginning…" : word}
      isReady={isReady && !isSending}
      typedName={isProductionName(environment) ? environment : undefined}
      footer={<StatusRegion>{refusal && <ProblemLine problem={refusal} />}</StatusRegion>}
      onSubmit={() => void run()}
    />
  );
}

interface ConfirmPlanProps extends Omit<ConfirmDialogProps, "environment" | "isDangerous" | "run"> {
  readonly plan: Plan;
  readonly run: (accepted: Accepted) => Promise<unknown>;
}

/** Nothing is sent before the user has accepted each switch that the plan makes. */
export function ConfirmPlan({ plan, isReady = true, run, children, ...rest }: ConfirmPlanProps): JSX.Element {
  const accepted = useSignal<Accepted>({});
  const { environment, steps } = plan;
  const moves = switchesOf(plan);
  return (
    <ConfirmDialog
      {...rest}
      environment={environment}
      isDangerous={steps.some(({ disruption }) => disruption !== "none")}
      isReady={isReady && moves.every(({ choice }) => accepted.value[choice])}
      run={() => run(accepted.value)}
    >
      {children}
      {moves.map(({ choice, text }) => (
        <Check
          key={choice}
          checked={accepted.value[choice] === true}
          onChange={(isChecked) => {
            const { [choice]: _, ...others } = accepted.value;
            accepted.value = isChecked ? { ...others, [choice]: true } : others;
          }}
        >
          <span>{text}</span>
        </Check>
      ))}
    </ConfirmDialog>
  );
}
