import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import type { Option } from "./Select.tsx";

export interface SegmentedProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly Option[];
  readonly onChange: (value: string) => void;
}

export function Segmented({ label, value, options, onChange }: SegmentedProps): JSX.Element {
  const name = useId();
  const [, drawAgain] = useState({});
  // The browser has already marked the choice; rendering again restores it if it was refused.
  const choose = (chosen: string): void => {
    onChange(chosen);
    drawAgain({});
  };
  return (
    <fieldset class="segmented">
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
