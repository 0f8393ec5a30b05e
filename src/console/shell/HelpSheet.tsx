import type { JSX } from "preact";
import { usePage } from "../console.ts";
import { Dialog } from "../ui/Dialog.tsx";

const always = [
  ["Tab", "Go to the next control"],
  ["← ↑ → ↓", "Go through the tabs when one of them has the focus"],
  ["← → Home End", "Go through the samples when a chart has the focus"],
  ["+ −", "Zoom in and out of the focused chart"],
  ["Esc", "Close a dialog, or show the whole range of a chart"],
] as const;

/** The keyboard shortcuts. */
export function HelpSheet({ onClose }: { onClose: () => void }): JSX.Element {
  const { shortcuts } = usePage();
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl class="keys">
        {always.map(([key, label]) => (
          <Key key={key} name={key} label={label} />
        ))}
        {shortcuts.isOn.value &&
          shortcuts.list.value.map(({ key, label }) => <Key key={key} name={key} label={label} />)}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={shortcuts.isOn.value}
          onChange={({ currentTarget }) => shortcuts.turn(currentTarget.checked)}
        />
        Use single-key shortcuts
      </label>
    </Dialog>
  );
}

function Key({ name, label }: { name: string; label: string }): JSX.Element {
  return (
    <div>
      <dt>
        <kbd>{name}</kbd>
      </dt>
      <dd>{label}</dd>
    </div>
  );
}
