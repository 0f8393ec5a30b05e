import type { JSX } from "preact";
import { Field, type FieldProps } from "./Field.tsx";

export interface TextFieldProps extends Omit<FieldProps, "children"> {
  readonly value: string;
  readonly type?: "text" | "url" | "password";
  readonly inputMode?: "text" | "numeric" | "url";
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly onInput: (value: string) => void;
}

/** A line of text with its field. */
export function TextField(props: TextFieldProps): JSX.Element {
  const { value, type = "text", inputMode = "text", placeholder, disabled = false, onInput, ...field } = props;
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          {...({ type, inputMode } as { readonly type: "text" })}
          value={value}
          placeholder={placeholder}
          disabled={disabled}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      )}
    </Field>
  );
}
