import type { JSX } from "preact";
import type { Plan } from "../../../core/api/rollout.ts";
import { Check } from "../../ui/Check.tsx";
import { isSelected, listOffers, requestOf, type Offer } from "./selection.ts";
import { useRollout } from "./rollout.ts";

/** Shown if there is a choice. */
export function AppSelection({ plan }: { plan: Plan }): JSX.Element | null {
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

const NOTES: Readonly<Record<Offer["kind"], string>> = {
  step: "",
  down: "it does not stay up: try to start it again",
  held: "start it again",
  unknown: "restart it to be sure",
};
