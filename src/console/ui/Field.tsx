import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import type { Issue } from "../../core/api/issue.ts";
import { Icon } from "./Icon.tsx";

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
