import type { ComponentChildren, JSX } from "preact";

export interface CheckProps {
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly about?: string;
  readonly onChange: (isChecked: boolean) => void;
  readonly children: ComponentChildren;
}

export function Check({ checked, disabled = false, about, onChange, children }: CheckProps): JSX.Element {
  return (
    <label class="check" title={about}>
      <input
        type="checkbox"
        aria-description={about}
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      {children}
    </label>
  );
}
