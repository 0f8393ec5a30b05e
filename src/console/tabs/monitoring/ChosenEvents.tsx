import type { JSX } from "preact";
import { pluralize } from "../../data/format.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import type { Monitor } from "./monitor.ts";
import { Ended } from "./Why.tsx";

const MOST = 50;

export function ChosenEvents({ monitor: { happenings } }: { monitor: Monitor }): JSX.Element | null {
  const { chosen } = happenings;
  const events = chosen.value.toReversed();
  if (events.length === 0) return null;
  const more = events.length > MOST ? `The newest ${MOST} of ` : "";
  return (
    <Dialog title={`${more}${pluralize(events.length, "event")}`} onClose={() => void (chosen.value = [])}>
      <div class="why-end">
        {events.slice(0, MOST).map(({ event }, at) => (
          <Ended key={JSON.stringify(event)} event={event} isOpen={at === 0} />
        ))}
      </div>
    </Dialog>
  );
}
