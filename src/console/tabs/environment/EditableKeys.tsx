import type { JSX } from "preact";
import type { EnvReadResponse } from "../../../core/api/bodies.ts";
import { useConsole } from "../../console.ts";
import { Card } from "../../ui/Card.tsx";
import type { DisplayedIssue } from "../../ui/IssueList.tsx";
import { Select, type Option } from "../../ui/Select.tsx";
import { TextField } from "../../ui/TextField.tsx";
import { issuesFor, valueText, type KeySpec } from "./changes.ts";
import { useEditor } from "./editor.ts";

export function EditableKeys({ read }: { read: EnvReadResponse }): JSX.Element {
  const { keys } = useConsole().facts.contract;
  return (
    <Card title="Editable keys">
      <div class="fields">
        {read.editableKeys.map((key) => {
          const spec = keys[key];
          return spec && <KeyField key={key} name={key} spec={spec} saved={read.values[key] ?? ""} />;
        })}
      </div>
    </Card>
  );
}

function KeyField({ name, spec, saved }: { name: string; spec: KeySpec; saved: string }): JSX.Element {
  const editor = useEditor();
  const value = editor.edits.value[name] ?? saved;
  const field = {
    label: spec.label,
    name,
    value,
    onChange: (next: string) => editor.edit(name, next),
    hint: <Hint spec={spec} value={value} />,
    was: value === saved ? undefined : valueText(spec, saved),
    issues: useIssues(name, value),
  };
  if (spec.kind === "enum") return <Select {...field} options={optionsOf(spec)} />;
  return (
    <TextField
      {...field}
      inputMode={spec.kind === "redis-url" ? "url" : spec.kind === "integer" ? "numeric" : "text"}
      placeholder={spec.accepted[0] ?? ""}
    />
  );
}

function useIssues(name: string, value: string): readonly DisplayedIssue[] {
  const { issues, outcome } = useEditor();
  const own = issuesFor(issues.value, name);
  const last = outcome.value;
  if (own.length > 0 || last === undefined || !("problem" in last) || last.sent[name] !== value) return own;
  return issuesFor(last.problem.issues ?? [], name);
}

function optionsOf(spec: KeySpec): Option[] {
  const empty = spec.accepted.filter((value) => value === "");
  return [...empty, ...spec.accepted.filter((value) => value !== "")].map((value) => ({
    value,
    label: valueText(spec, value),
  }));
}

function Hint({ spec, value }: { spec: KeySpec; value: string }): JSX.Element {
  const isBrowserOnly = spec.kind === "enum" && spec.browserOnly?.includes(value) === true;
  return (
    <>
      {spec.help}
      {isBrowserOnly && <strong class="was"> {value} works in a browser only: a server process fails with it.</strong>}
    </>
  );
}
