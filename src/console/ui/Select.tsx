import type { JSX } from "preact";
import { Field, type FieldProps } from "./Field.tsx";

export interface Option {
  readonly value: string;
  readonly label?: string;
}

export interface SelectProps extends Omit<FieldProps, "children"> {
  readonly value: string;
  readonly options: readonly Option[];
  readonly disabled?: boolean;
  readonly onChange: (value: string) => void;
}

/** A value that is not an option is shown and marked. */
export function Select({ value, options, disabled = false, onChange, ...field }: SelectProps): JSX.Element {
  const isOffered = options.some((option) => option.value === value);
  return (
    <Field {...field}>
      {(control) => (
        <select
          {...control}
          value={value}
          disabled={disabled}
          onChange={({ currentTarget }) => onChange(currentTarget.value)}
        >
          {!isOffered && <option value={value}>{value === "" ? "not chosen" : `${value} (not accepted)`}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label ?? option.value}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
