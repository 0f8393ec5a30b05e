import type { Signal } from "@preact/signals";

/** The value and the change of a control whose text is a signal. */
export function bound(text: Signal<string>) {
  return { value: text.value, onChange: (next: string) => void (text.value = next) };
}

/** The same of a check box. */
export function ticked(isOn: Signal<boolean>) {
  return { checked: isOn.value, onChange: (isChecked: boolean) => void (isOn.value = isChecked) };
}
