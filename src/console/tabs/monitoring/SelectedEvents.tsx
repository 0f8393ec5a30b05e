import type { JSX } from "preact";
import { counted } from "../../data/format.ts";
import { Dialog } from "../../ui/Dialog.tsx";
import type { Monitor } from "./monitor.ts";
import { EventReport } from "./Why.tsx";

const MAX_EVENTS = 50;

export function SelectedEvents({ monitor: { events } }: { monitor: Monitor }): JSX.Element | null {
  const { selected } = events;
  const newest = selected.value.toReversed();
  if (newest.length === 0) return null;
  const more = newest.length > MAX_EVENTS ? `The newest ${MAX_EVENTS} of ` : "";
  return (
    <Dialog title={`${more}${counted(newest.length, "event")}`} onClose={() => void (selected.value = [])}>
      <div class="why-end">
        {newest.slice(0, MAX_EVENTS).map(({ event }, at) => (
          <EventReport key={JSON.stringify(event)} event={event} isOpen={at === 0} />
        ))}
      </div>
    </Dialog>
  );
}
