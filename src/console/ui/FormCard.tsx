import type { ComponentChildren, JSX } from "preact";
import type { Form } from "../state/form.ts";
import { Button } from "./Button.tsx";
import { Card } from "./Card.tsx";
import type { IconName } from "./Icon.tsx";
import { IssueList } from "./IssueList.tsx";
import { StatusLine, StatusRegion } from "./StatusLine.tsx";

export interface FormCardProps {
  readonly form: Form;
  readonly title: string;
  readonly hint?: ComponentChildren;
  readonly submit: { readonly label: string; readonly icon: IconName };
  readonly cancel?: { readonly label: string; readonly run: () => void } | false;
  readonly action?: ComponentChildren;
  readonly onEscape?: () => void;
  readonly children: ComponentChildren;
}

export function FormCard(props: FormCardProps): JSX.Element {
  const { form, title, hint, submit, cancel, action, onEscape, children } = props;
  const message = form.message.value;
  return (
    <Card title={title}>
      <form
        class="entry-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          form.save();
        }}
        onKeyDown={({ key }) => key === "Escape" && onEscape?.()}
      >
        {hint !== undefined && <StatusLine tone="info">{hint}</StatusLine>}
        <div class="fields">{children}</div>
        <IssueList issues={form.otherIssues()} label="Issues of the form" />
        <StatusRegion>
          {message && (
            <StatusLine tone={message.tone} action={action}>
              {message.text}
            </StatusLine>
          )}
        </StatusRegion>
        <div class="form-actions">
          {cancel && <Button onClick={cancel.run}>{cancel.label}</Button>}
          <Button type="submit" variant="primary" icon={submit.icon}>
            {submit.label}
          </Button>
        </div>
      </form>
    </Card>
  );
}
