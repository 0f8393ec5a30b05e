import type { JSX } from "preact";
import { usePage } from "../console.ts";
import { Check } from "../ui/Check.tsx";
import { DescriptionList } from "../ui/DescriptionList.tsx";
import { Dialog } from "../ui/Dialog.tsx";

const always = [
  { key: "Ctrl K", label: "Go to an app, a view or a command" },
  { key: "← → Home End", label: "Go through the samples when a chart has the focus" },
  { key: "Enter", label: "Find the events of the focused chart on Activity" },
  { key: "+ −", label: "Zoom in and out of the focused chart" },
  { key: "Esc", label: "Close a dialog, or show the whole range of a chart" },
];

export function HelpSheet({ onClose }: { onClose: () => void }): JSX.Element {
  const { shortcuts } = usePage();
  const isOn = shortcuts.isOn.value;
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <DescriptionList
        class="keys"
        items={[...always, ...(isOn ? shortcuts.list.value : [])].map(({ key, label }) => [
          key,
          label,
          <kbd>{key}</kbd>,
        ])}
      />
      <Check checked={isOn} onChange={(isChecked) => shortcuts.turn(isChecked)}>
        Use single-key shortcuts
      </Check>
    </Dialog>
  );
}
