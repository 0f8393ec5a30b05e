import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { isProductionName } from "../../../core/words/production.ts";
import type { Plan } from "../../../core/api/rollout.ts";
import type { Problem } from "../../data/request-error.ts";
import { Check } from "../../ui/Check.tsx";
import { FormDialog } from "../../ui/FormDialog.tsx";
import { ProblemLine } from "../../ui/Problem.tsx";
import { StatusRegion } from "../../ui/StatusLine.tsx";
import { type Accepted, switchesOf } from "./selection.ts";

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
export function ConfirmDialog({
  environment,
  word,
  isReady = true,
  sending,
  run,
  ...rest
}: ConfirmDialogProps): JSX.Element {
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
