import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { PlanChoices } from "../../data/api.ts";
import { Button } from "../../ui/Button.tsx";
import { Check } from "../../ui/Check.tsx";
import { TabHead } from "../../ui/TabHead.tsx";
import { RequestProblem } from "../../ui/Problem.tsx";
import { DeployPart } from "./DeployPart.tsx";
import { Confirm } from "./Confirm.tsx";
import { PlanCard } from "./PlanCard.tsx";
import { ReleaseCard } from "./ReleaseCard.tsx";
import { Releases } from "./Releases.tsx";
import { useRollout } from "./rollout.ts";

export function Plan(): JSX.Element {
  const rollout = useRollout();
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
        <Button icon="restart" disabled={rollout.isRunning.value} onClick={() => void rollout.load()}>
          Refresh
        </Button>
      </TabHead>
      <RequestProblem problem={rollout.problem.value} retry={() => void rollout.load()} />
      <DeployPart />
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
