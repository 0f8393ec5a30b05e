import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";

export interface RadioGroupProps {
  /** The look: a segmented control, chips or tiles. */
  readonly class?: "segmented" | "chips";
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly label?: ComponentChildren }[];
  readonly onChange: (value: string) => void;
}

export function RadioGroup(props: RadioGroupProps): JSX.Element {
  const { label, value, options, onChange } = props;
  const name = useId();
  const choices = useSignal(0);
  void choices.value;
  // The browser has already marked the choice; rendering again restores it if it was refused.
  const choose = (chosen: string): void => {
    onChange(chosen);
    choices.value += 1;
  };
  return (
    <fieldset class={props.class ?? "segmented"}>
      <legend class="hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} class={option.value === value ? "chosen" : ""}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => choose(option.value)}
          />
          {option.label ?? option.value}
        </label>
      ))}
    </fieldset>
  );
}
