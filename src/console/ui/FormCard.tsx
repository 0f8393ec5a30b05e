import type { ComponentChildren, JSX } from "preact";
import type { Form, Values } from "../state/form.ts";
import { Button, type IconName } from "./Button.tsx";
import { Card } from "./Card.tsx";
import { IssueList, StatusLine, StatusRegion } from "./Problem.tsx";
import { sortByDependency, type Field } from "../../core/deployments/fields.ts";
import type { Vocabulary } from "../../core/deployments/file.ts";
import { useConsole } from "../console.ts";
import { Select, type Option, TextField } from "./Field.tsx";

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

export function FormFields({ form, fields }: { form: Form; fields: readonly Field[] }): JSX.Element {
  const { vocabulary } = useConsole().facts;
  const values = form.values.value;
  return (
    <>
      {sortByDependency(fields).map((field) => {
        const { label, help, accepted, examples } = field;
        const props = controlOf(form, field.name, label);
        if (accepted === undefined) {
          const hint = field.required(values, vocabulary) ? help : `Optional. ${help}`;
          return <TextField key={label} {...props} hint={hint} placeholder={examples?.[0]} />;
        }
        const isUnused = accepted(values, vocabulary).length === 0;
        const hint =
          isUnused && field.dependsOn && `Not used with ${labelIn(fields, field.dependsOn, values, vocabulary)}.`;
        return (
          <Select
            key={label}
            {...props}
            was={props.was && labelIn(fields, field.name, { [field.name]: props.was }, vocabulary)}
            options={optionsOf(field, fields, values, vocabulary)}
            disabled={isUnused}
            hint={hint || undefined}
          />
        );
      })}
    </>
  );
}

export function controlOf(form: Form, name: string, label: string) {
  return {
    label,
    name,
    value: form.values.value[name] ?? "",
    issues: form.issuesOf(name),
    was: form.savedOf(name),
    onChange: (value: string) => form.set(name, value),
  };
}

/** A field with labels offers every value and marks those that do not fit; other fields offer only fitting values. */
function optionsOf(field: Field, fields: readonly Field[], values: Values, vocabulary: Vocabulary): Option[] {
  const { accepted, labels, dependsOn } = field;
  const fitting = accepted?.(values, vocabulary) ?? [];
  if (labels === undefined) return fitting.map((value) => ({ value }));
  const mark = dependsOn && ` (not with ${labelIn(fields, dependsOn, values, vocabulary)})`;
  return (accepted?.({}, vocabulary) ?? []).map((value) => {
    const label = labels(vocabulary.matrix)[value]?.label ?? value;
    return { value, label: fitting.includes(value) || !mark ? label : label + mark };
  });
}

function labelIn(fields: readonly Field[], name: string, values: Values, { matrix }: Vocabulary): string {
  const value = values[name] ?? "";
  return fields.find((field) => field.name === name)?.labels?.(matrix)[value]?.label ?? value;
}
