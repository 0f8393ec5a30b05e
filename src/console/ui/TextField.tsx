import type { JSX } from "preact";
import { Field, type FieldProps } from "./Field.tsx";

export interface TextFieldProps extends Omit<FieldProps, "children"> {
  readonly value: string;
  readonly type?: "text" | "url" | "password";
  readonly inputMode?: "text" | "numeric" | "url";
  readonly placeholder?: string | undefined;
  readonly onChange: (value: string) => void;
}

export function TextField(props: TextFieldProps): JSX.Element {
  const { value, type = "text", inputMode = "text", placeholder, onChange, ...field } = props;
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          {...({ type, inputMode } as { readonly type: "text" })}
          value={value}
          placeholder={placeholder}
          spellcheck={false}
          autocomplete="off"
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}
