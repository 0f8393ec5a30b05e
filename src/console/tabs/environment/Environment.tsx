import type { JSX } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { useConsole } from "../../console.ts";
import { Button, IconButton, Icon } from "../../ui/Button.tsx";
import { Copy, FilePath } from "../../ui/Copy.tsx";
import { EmptyState, TabHead, Card } from "../../ui/Card.tsx";
import {
  IssueList,
  type DisplayedIssue,
  ProblemLine,
  RequestProblem,
  StatusLine,
  StatusRegion,
} from "../../ui/Problem.tsx";
import { Comparison, ConflictCard } from "./Comparison.tsx";
import { type FileRead, useEditor } from "./editor.ts";
import { SaveBar } from "./SaveBar.tsx";
import { useRequest } from "../../ui/use-request.ts";
import type { EnvReadResponse } from "../../../core/api/bodies.ts";
import { type KeySpec, issuesFor, valueText } from "./changes.ts";
import { Select, type Option, TextField } from "../../ui/Field.tsx";

export function Environment(): JSX.Element {
  const { facts, service } = useConsole();
  const isAmbiguous = facts.services.length > 1 && service.value === "";
  return isAmbiguous ? <NoService /> : <EnvFile key={service.value} />;
}

function NoService(): JSX.Element {
  const { facts, service } = useConsole();
  return (
    <>
      <TabHead title="Runtime environment" />
      <Choice
        of="a service"
        about="Each service has its own env files."
        names={facts.services}
        choose={(name) => void (service.value = name)}
      />
    </>
  );
}

interface ChoiceProps {
  readonly of: string;
  readonly about: string;
  readonly names: readonly string[];
  readonly choose: (name: string) => void;
}

function Choice({ of, about, names, choose }: ChoiceProps): JSX.Element {
  return (
    <EmptyState icon="sliders" title={`Choose ${of}`}>
      <p>{about}</p>
      <div class="form-actions">
        {names.map((name) => (
          <Button key={name} onClick={() => choose(name)}>
            {name}
          </Button>
        ))}
      </div>
    </EmptyState>
  );
}

/** @see the specification, "Deploy target list behaviour" 7 */
function EnvFile(): JSX.Element {
  const { router } = useConsole();
  const editor = useEditor();
  // A later effect would discard an edit made on the values that an earlier visit left on the screen.
  useLayoutEffect(() => {
    editor.open();
    const remove = router.guard(() => editor.mayLeave());
    return () => {
      remove();
      editor.close();
    };
  }, [editor]);
  const read = editor.read.value;
  return (
    <>
      <TabHead title="Runtime environment">
        <IconButton icon="restart" label="Read the file again" variant="plain" onClick={() => void editor.reload()} />
      </TabHead>
      <StatusRegion>
        <Unselected />
        <Unread />
      </StatusRegion>
      {read && <OpenFile read={read} />}
      <SaveBar />
    </>
  );
}

function OpenFile({ read }: { read: FileRead }): JSX.Element {
  const { facts } = useConsole();
  return (
    <>
      <WrittenFile path={read.path ?? `${facts.workspace.configDir}/${read.fileName}`} />
      <div class="env-columns">
        <div class="env-main">
          <ConflictCard />
          <EditableKeys read={read} />
          <ReadOnlyKeys read={read} />
        </div>
        <div class="env-side">
          <FileCheck key={`${read.environment} ${read.entityTag}`} read={read} />
          <Comparison read={read} />
        </div>
      </div>
    </>
  );
}

function WrittenFile({ path }: { path: string }): JSX.Element {
  return (
    <p class="written-file">
      <Icon name="file" />
      <span>
        Saving writes <FilePath path={path} /> only
      </span>
      <Copy text={path} what="the path" />
    </p>
  );
}

/** Without a valid environment nothing is read, so nothing can be written. */
function Unselected(): JSX.Element | null {
  const issues = useEditor().selectionIssues.value;
  if (issues.length === 0) return null;
  return (
    <StatusLine tone="error">
      <strong>
        The saved environment cannot be used. Select one in the header; until then nothing is read or written.
      </strong>
      <IssueList issues={issues} label="Issues of the saved environment" />
    </StatusLine>
  );
}

function Unread(): JSX.Element | null {
  const editor = useEditor();
  const { contract } = useConsole().facts;
  const problem = editor.problem.value;
  if (!problem) return null;
  // The server may work in an environment without an env file, which no further try changes.
  if (editor.environment.value === "")
    return (
      <>
        <ProblemLine tone="warning" problem={problem} />
        <Choice
          of="an environment"
          about="Only these have an env file here."
          names={Object.keys(contract.environments)}
          choose={(name) => editor.select(name)}
        />
      </>
    );
  return (
    <>
      <ProblemLine problem={problem} retry={() => void editor.load()} />
      {problem.code === "ENV_FILE_NOT_FOUND" && (
        <EmptyState icon="file" title={`${editor.environment.value} has no env file.`}>
          <p>The console does not create files. Create the file at the path above, even an empty one, and try again.</p>
        </EmptyState>
      )}
    </>
  );
}

/** The check includes hidden keys; the server never sends their values. */
function FileCheck({ read }: { read: FileRead }): JSX.Element {
  const { api } = useConsole();
  const { environment, fileName, entityTag } = read;
  const { answer, problem, retry } = useRequest(
    (signal) => api.envCheck(environment, signal),
    [environment, entityTag],
  );
  return (
    <Card title={`Check of ${fileName}`}>
      <RequestProblem problem={problem} retry={retry} />
      {answer && <IssueList label={`Issues of ${fileName}`} issues={answer.issues} />}
      {answer?.issues.length === 0 && (
        <p class="all-good">
          <Icon name="check" /> The file follows the runtime contract.
        </p>
      )}
    </Card>
  );
}

function ReadOnlyKeys({ read }: { read: EnvReadResponse }): JSX.Element {
  const { keys } = useConsole().facts.contract;
  const readOnly = Object.keys(read.values).flatMap((key): [string, KeySpec][] => {
    const spec = keys[key];
    return spec === undefined || read.editableKeys.includes(key) ? [] : [[key, spec]];
  });
  const reasons = new Set(readOnly.map(([, { reason }]) => reason));
  return (
    <Card title="Read-only keys">
      {[...reasons].map((reason) => (
        <div key={reason} class="read-only">
          <p class="reason">Not written from here: {reason}.</p>
          <dl>
            {readOnly
              .filter(([, spec]) => spec.reason === reason)
              .map(([key, spec]) => (
                <div key={key}>
                  <dt title={spec.help}>
                    {spec.label} {spec.label !== key && <code class="field-name">{key}</code>}
                  </dt>
                  <dd>{read.values[key] ? <code>{read.values[key]}</code> : <span class="unset">not set</span>}</dd>
                </div>
              ))}
          </dl>
        </div>
      ))}
    </Card>
  );
}

function EditableKeys({ read }: { read: EnvReadResponse }): JSX.Element {
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
    // A key of svcm.yaml has no other label.
    name: spec.label === name ? "" : name,
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
