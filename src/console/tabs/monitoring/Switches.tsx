import type { JSX } from "preact";
import { IconButton } from "../../ui/Button.tsx";
import { Check } from "../../ui/Check.tsx";
import type { Monitor } from "./monitor.ts";

export function ComparisonSwitch({ monitor: { past, view } }: { monitor: Monitor }): JSX.Element | null {
  const { compares, has } = past;
  if (!has.value) return null;
  return (
    <Check checked={compares.value} onChange={(isChecked) => void (compares.value = isChecked)}>
      Compare with the {view.range.value} before
    </Check>
  );
}

export function NoticeSwitch({ monitor: { notices } }: { monitor: Monitor }): JSX.Element | null {
  if (!notices.isPossible) return null;
  const isOn = notices.isOn.value;
  return (
    <IconButton
      icon="bell"
      label="Notify me of trouble while this page is hidden"
      aria-pressed={isOn}
      onClick={() => void notices.turn(!isOn)}
    />
  );
}
