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
          <Options options={options} />
        </select>
      )}
    </Field>
  );
}

interface InlineSelectProps extends Pick<SelectProps, "label" | "value" | "options" | "onChange"> {
  readonly class?: string;
  readonly isDisabled?: boolean;
}

/** A select beside its label, for example in a bar. */
export function InlineSelect({ label, value, options, onChange, isDisabled, ...rest }: InlineSelectProps): JSX.Element {
  return (
    <label {...rest}>
      <span>{label}</span>
      <select
        value={value}
        disabled={isDisabled}
        onChange={({ currentTarget }) => {
          onChange(currentTarget.value);
          // The element already shows the choice, which may be refused. An accepted one is rendered next.
          currentTarget.value = value;
        }}
      >
        <Options options={options} />
      </select>
    </label>
  );
}

function Options({ options }: Pick<SelectProps, "options">): JSX.Element {
  return (
    <>
      {options.map(({ value, label = value }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </>
  );
}
