import type { ComponentChildren, JSX } from "preact";
import { useId, useEffect, useRef } from "preact/hooks";
import type { Issue } from "../../core/api/issue.ts";
import { Icon } from "./Button.tsx";
import { type Signal, useSignal } from "@preact/signals";
import { usePage } from "../console.ts";

export interface ControlProps {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

interface FieldProps {
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

export interface FilterFieldProps {
  /** The accessible name, also shown in the list of shortcuts. */
  readonly label: string;
  readonly placeholder: string;
  readonly text: Signal<string>;
}

/** `/` focuses the filter; Escape clears and leaves it. */
export function FilterField({ label, placeholder, text }: FilterFieldProps): JSX.Element {
  const { shortcuts } = usePage();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => shortcuts.add({ key: "/", label, run: () => input.current?.focus() }), [shortcuts, label]);
  return (
    <label class="filter">
      <span class="hidden">{label}</span>
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        placeholder={placeholder}
        value={text.value}
        onInput={({ currentTarget }) => void (text.value = currentTarget.value)}
        onKeyDown={({ key, currentTarget }) => {
          if (key !== "Escape") return;
          text.value = "";
          currentTarget.blur();
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  );
}
