import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Plan } from "../../../core/api/rollout.ts";
import { escapeHidden } from "../../../core/words/characters.ts";
import {
  countSteps,
  heldText,
  leftOutText,
  subjectText,
  undeclaredText,
  unknownText,
} from "../../../core/rollout/report/words.ts";
import { usePage } from "../../console.ts";
import { capitalize, inLocalTime, pluralize } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { Card } from "../../ui/Card.tsx";
import { IssueList, StatusLine, StatusRegion } from "../../ui/Problem.tsx";
import { PlannedSteps } from "./Steps.tsx";
import { useRollout } from "./rollout.ts";
import { isSelected, listOffers, type Offer, refusalsOf, requestOf } from "./selection.ts";
import { Check } from "../../ui/Field.tsx";

const NOTES: Readonly<Record<Offer["kind"], string>> = {
  step: "",
  down: "it does not stay up: try to start it again",
  held: "start it again",
  unknown: "restart it to be sure",
};

export function PlanCard(): JSX.Element | null {
  const { plan, problem, isReplaced } = useRollout();
  const root = useRef<HTMLDivElement>(null);
  const { value: current } = plan;
  useEffect(() => {
    if (isReplaced.value) root.current?.focus();
  }, [current?.id, isReplaced.value]);
  if (current === undefined) return problem.value ? null : <StatusLine tone="info">Reading the plan…</StatusLine>;
  return (
    <div class="plan-card" tabIndex={-1} ref={root}>
      <StatusRegion>
        {isReplaced.value && (
          <StatusLine tone="warning">
            <strong>The plan has changed, and nothing was applied.</strong> A file or a process is different now. Read
            the new plan.
          </StatusLine>
        )}
      </StatusRegion>
      <IssueList issues={current.issues} label="Issues of the plan" />
      {current.changed ? <Changes plan={current} /> : <EmptyPlan plan={current} />}
    </div>
  );
}

function Changes({ plan }: { plan: Plan }): JSX.Element {
  const { id, steps } = plan;
  const isSaved = steps.some((step) => step.do === "save");
  return (
    <Card title={`Plan ${id}: ${countSteps(plan)}`} actions={<ApplyButton plan={plan} />}>
      <p class="reason">{subjectText(plan, escapeHidden)}</p>
      <PlannedSteps steps={steps.filter((step) => step.do !== "save")} />
      {isSaved && <p class="reason">Then PM2's list is saved for the next boot.</p>}
      <UntouchedApps plan={plan} />
    </Card>
  );
}

/** Errors refuse the apply of the whole plan; the apps without one can be selected. */
function ApplyButton({ plan }: { plan: Plan }): JSX.Element {
  const rollout = useRollout();
  const missing = usePage().identity.reasonAgainst("write");
  const { value: selected } = rollout.selected;
  const request = requestOf(plan, selected);
  const count = listOffers(plan).filter((offer) => isSelected(offer, selected)).length;
  const isRefused = request === undefined && refusalsOf(plan).length > 0;
  const isNone = request !== undefined && count === 0;
  const reason = isRefused ? "A step cannot run as declared." : isNone ? "Select an app." : missing;
  return (
    <Button
      variant="primary"
      reason={reason}
      disabled={rollout.isSending.value}
      onClick={() => void rollout.confirm(plan)}
    >
      {request === undefined ? `Apply plan ${plan.id}…` : `Apply to ${pluralize(count, "app")}…`}
    </Button>
  );
}

function EmptyPlan({ plan }: { plan: Plan }): JSX.Element {
  const { exists, fileName, held, unknown } = plan;
  const isCertain = held.length === 0 && unknown.length === 0;
  const title = isCertain ? "Everything runs as declared" : capitalize(countSteps(plan));
  const isAnySelected = requestOf(plan, useRollout().selected.value) !== undefined;
  return (
    <Card title={exists ? title : "No ecosystem file"} actions={isAnySelected && <ApplyButton plan={plan} />}>
      <p class="reason">
        {exists ? `The plan of ${fileName} is empty.` : `Create ${fileName}, or choose another environment.`}
      </p>
      <UntouchedApps plan={plan} />
    </Card>
  );
}

function UntouchedApps({ plan }: { plan: Plan }): JSX.Element {
  const { held, leftOut, unknown, undeclared, unchanged } = plan;
  return (
    <>
      {held.map((app) => (
        <p key={app.name}>{inLocalTime(heldText(app, escapeHidden))}.</p>
      ))}
      {leftOut.map((app) => (
        <p key={app.name} class="reason">
          {leftOutText(app, escapeHidden)}.
        </p>
      ))}
      {unknown.map((part) => (
        <p key={`${part.app} ${part.part} ${part.reason}`}>{unknownText(part, escapeHidden)}</p>
      ))}
      {undeclared.map((app) => (
        <p key={app.name} class="reason">
          {undeclaredText(app, escapeHidden)}.
        </p>
      ))}
      <AppSelection plan={plan} />
      {unchanged.length > 0 && (
        <details class="unchanged">
          <summary>{pluralize(unchanged.length, "app runs", "apps run")} as declared</summary>
          <p>
            {unchanged.map((name) => (
              <bdi key={name} class="badge">
                {name}
              </bdi>
            ))}
          </p>
        </details>
      )}
    </>
  );
}

/** Shown if there is a choice. */
function AppSelection({ plan }: { plan: Plan }): JSX.Element | null {
  const { selected } = useRollout();
  const offers = listOffers(plan);
  const { value: choice } = selected;
  if (offers.length < 2 && offers.every(({ kind }) => kind === "step")) return null;
  const isWithoutRemovals = plan.summary.remove > 0 && requestOf(plan, choice)?.apps !== undefined;
  return (
    <fieldset class="selection">
      <legend>Apps to apply</legend>
      {offers.map((offer) => (
        <Check
          key={offer.app}
          checked={isSelected(offer, choice)}
          onChange={(isChecked) => void (selected.value = new Map(choice).set(offer.app, isChecked))}
        >
          <span>
            <bdi>{offer.app}</bdi> <em>{NOTES[offer.kind]}</em>
          </span>
        </Check>
      ))}
      {isWithoutRemovals && <p class="reason">An apply of selected apps deletes no process.</p>}
    </fieldset>
  );
}
