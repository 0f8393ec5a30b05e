import type { ComponentChildren, JSX } from "preact";
import type { EnvDiffResponse, EnvReadResponse } from "../../../core/api/bodies.ts";
import { compareApps } from "./compare-apps.ts";
import { useConsole } from "../../console.ts";
import { pluralize } from "../../data/format.ts";
import { Card } from "../../ui/Card.tsx";
import { Select } from "../../ui/Field.tsx";
import { RequestProblem, ProblemLine } from "../../ui/Problem.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { useEditor, type FileRead } from "./editor.ts";
import { Icon, Button } from "../../ui/Button.tsx";
import { valueText, type Change, findConflicts, type KeyConflict } from "./changes.ts";
import { useEffect, useRef } from "preact/hooks";

type Entry = EnvDiffResponse["entries"][number];

export function Comparison({ read }: { read: FileRead }): JSX.Element {
  const { api, facts } = useConsole();
  const { comparedWith: chosen } = useEditor();
  const from = read.environment;
  const others = Object.keys(facts.contract.environments).filter((name) => name !== from);
  const to = others.includes(chosen.value) ? chosen.value : "";
  const request = to === "" ? undefined : (signal: AbortSignal) => api.envDiff(from, to, signal);
  const { answer, problem, retry } = useRequest(request, [from, to, read.entityTag]);
  return (
    <Card title="Compare">
      <Select
        label={`Compare ${from} with`}
        value={to}
        options={[{ value: "", label: "no other environment" }, ...others.map((value) => ({ value }))]}
        onChange={(name) => void (chosen.value = name)}
      />
      <RequestProblem problem={problem} retry={retry} />
      {answer?.from === from && answer.to === to && <Differences diff={answer} />}
      {to !== "" && problem === undefined && <Apps from={from} to={to} />}
    </Card>
  );
}

function Differences({ diff: { from, to, entries } }: { diff: EnvDiffResponse }): JSX.Element {
  const different = entries.filter(({ state }) => state !== "same");
  const same = pluralize(entries.length - different.length, "key is", "keys are");
  return (
    <div class="differences">
      <p>
        {pluralize(different.length, "key differs", "keys differ")}, {same} the same.
      </p>
      <dl aria-label={`Differences between ${from} and ${to}`}>
        {different.map((entry) => (
          <div key={entry.key}>
            <dt>
              <code>{entry.key}</code>
            </dt>
            <Side name={from}>{valueIn(entry, entry.from, "only-to")}</Side>
            <Side name={to}>{valueIn(entry, entry.to, "only-from")}</Side>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** Compares the apps that the ecosystem files of both environments declare. */
function Apps({ from, to }: Pick<EnvDiffResponse, "from" | "to">): JSX.Element {
  const { api } = useConsole();
  const { answer, problem, retry } = useRequest(
    (signal) => Promise.all([api.ecosystem(from, undefined, signal), api.ecosystem(to, undefined, signal)]),
    [from, to],
  );
  const absent = answer?.find(({ exists }) => !exists);
  const found = answer && compareApps(answer[0].apps, answer[1].apps);
  return (
    <div class="differences">
      <RequestProblem problem={problem} retry={retry} />
      {absent && <p>The apps are not compared: {absent.environment} has no ecosystem file.</p>}
      {found && !absent && (
        <>
          <p>{found.length === 0 ? "The declared apps are equal" : "Declared apps"}. Hidden values are not compared.</p>
          <dl aria-label={`Differences between the apps of ${from} and ${to}`}>
            {found.map(({ app, field, ...values }) => (
              <div key={`${app} ${field}`}>
                <dt>
                  <bdi>{app}</bdi> <code>{field}</code>
                </dt>
                <Side name={from}>{values.from}</Side>
                <Side name={to}>{values.to}</Side>
              </div>
            ))}
          </dl>
        </>
      )}
    </div>
  );
}

function Side({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <dd>
      <span class="side">{name}</span>
      {children}
    </dd>
  );
}

/** For a never-exposed key, only its presence is known. */
function valueIn({ key, state }: Entry, value: string | undefined, absent: Entry["state"]): JSX.Element {
  if (value !== undefined) return <Value of={key} value={value} />;
  return <em>{state === absent ? "not in the file" : "never shown"}</em>;
}

export function Value({ of, value }: { of: string; value: string }): JSX.Element {
  const spec = useConsole().facts.contract.keys[of];
  const text = valueText(spec, value);
  return value === "" ? <em>{text}</em> : <code>{text}</code>;
}

export function ChangeView({ change: { key, from, to } }: { change: Change }): JSX.Element {
  return (
    <li class="change">
      <code class="change-key">{key}</code>{" "}
      <del>
        <Value of={key} value={from} />
      </del>
      <Icon name="chevron" size={14} />
      <span class="hidden">becomes</span>
      <ins>
        <Value of={key} value={to} />
      </ins>
    </li>
  );
}

export function ConflictCard(): JSX.Element | null {
  const { read, conflict } = useEditor();
  if (!read.value || !conflict.value) return null;
  return <Conflict before={read.value} now={conflict.value} />;
}

function Conflict({ before, now }: { before: EnvReadResponse; now: EnvReadResponse }): JSX.Element {
  const editor = useEditor();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    place.current?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: "start" });
  }, []);
  const last = editor.outcome.value;
  const contests = findConflicts(before, now, editor.edits.value);
  return (
    <div ref={place} tabIndex={-1} class="conflict">
      <Card title={`${now.fileName} was changed meanwhile`}>
        {last && "problem" in last && <ProblemLine tone="warning" problem={last.problem} />}
        <p>Nothing was written. Compare the file as it is now with your edits.</p>
        <dl class="contests" aria-label="The file and the edits">
          {contests.map((contest) => (
            <KeyConflictView key={contest.key} contest={contest} />
          ))}
        </dl>
        {contests.every(({ before: was, now: is }) => was === is) && (
          <p>No key that is shown here differs: a comment or another key was changed.</p>
        )}
        <div class="form-actions">
          <Button onClick={andFocusSaveBar(() => editor.discard())}>Discard edits, take the file</Button>
          <Button variant="primary" onClick={andFocusSaveBar(() => editor.reapply())}>
            Keep edits on top of the file
          </Button>
        </div>
      </Card>
    </div>
  );
}

/** Moves the focus to the save bar, because the card disappears with its buttons. */
function andFocusSaveBar(decide: () => void): () => void {
  return () => {
    decide();
    document.querySelector<HTMLElement>(".save-bar")?.focus();
  };
}

function KeyConflictView({ contest: { key, before, now, edited } }: { contest: KeyConflict }): JSX.Element {
  return (
    <div>
      <dt>
        <code>{key}</code>
      </dt>
      <dd>
        <span class="side">File, when read</span> <Value of={key} value={before} />
      </dd>
      <dd class={now === before ? "" : "moved"}>
        <span class="side">File, now</span> <Value of={key} value={now} />
      </dd>
      <dd>
        <span class="side">Edited to</span>{" "}
        {edited === undefined ? <em>not edited</em> : <Value of={key} value={edited} />}
      </dd>
    </div>
  );
}
