import type { JSX } from "preact";
import { usePage } from "../console.ts";
import { Dialog } from "../ui/Dialog.tsx";

const always = [
  ["Tab", "Go to the next control"],
  ["← ↑ → ↓", "Go through the tabs, where one of them has the focus"],
  ["← → Home End", "Go through the samples, where a chart has the focus"],
  ["+ −", "Look closer and step back there"],
  ["Esc", "Close a dialog, or show all of a chart again"],
] as const;

/** The keys that do something. */
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
        Single keys do something
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
