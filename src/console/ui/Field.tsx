import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import type { Issue } from "../../core/api/issue.ts";
import { Icon } from "./Icon.tsx";
import type { Signal } from "@preact/signals";

export interface ControlProps {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

export interface FieldProps {
  readonly label: string;
  readonly name?: string | undefined;
  readonly hint?: ComponentChildren;
  readonly issues?: readonly Pick<Issue, "message" | "code">[] | undefined;
  readonly was?: string | undefined;
  readonly children: (control: ControlProps) => ComponentChildren;
}

export function Field({ label, name, hint, issues = [], was, children }: FieldProps): JSX.Element {
  const id = useId();
  const about = `${id}-about`;
  const isDescribed = hint !== undefined || was !== undefined || issues.length > 0;
  const control: ControlProps = {
    id,
    ...(isDescribed && { "aria-describedby": about }),
    ...(issues.length > 0 && { "aria-invalid": true }),
  };
  return (
    <div class={`field${was === undefined ? "" : " changed"}`}>
      <div class="field-head">
        <label for={id}>{label}</label>
        {name && <code class="field-name">{name}</code>}
      </div>
      {children(control)}
      {isDescribed && (
        <div class="field-about" id={about}>
          {hint !== undefined && <span>{hint} </span>}
          {was !== undefined && <strong class="was">Was {was === "" ? "empty" : was}.</strong>}
          {issues.map(({ message, code }) => (
            <span class="field-issue" key={`${code} ${message}`}>
              <Icon name="error" size={14} />
              <span>{message}</span>
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

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

/** The value and the change of a control whose text is a signal. */
export function bound(text: Signal<string>) {
  return { value: text.value, onChange: (next: string) => void (text.value = next) };
}

/** The same of a check box. */
export function ticked(isOn: Signal<boolean>) {
  return { checked: isOn.value, onChange: (isChecked: boolean) => void (isOn.value = isChecked) };
}
