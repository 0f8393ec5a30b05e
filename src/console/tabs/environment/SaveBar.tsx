import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useConsole, usePage } from "../../console.ts";
import { pluralize } from "../../data/format.ts";
import type { EnvWriteResponse } from "../../../core/api/bodies.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { IssueList, ProblemLine, StatusLine, StatusRegion } from "../../ui/Problem.tsx";
import { useEditor } from "./editor.ts";
import { ChangeView, Value } from "./Comparison.tsx";
import { useSignal } from "@preact/signals";
import { Check } from "../../ui/Field.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { monitorOf } from "../monitoring/monitor.ts";
import { createRestarts, legendOf, listStaleApps, type RestartState, type StaleApp } from "./changes.ts";

interface AppProps {
  readonly app: StaleApp;
  readonly state: RestartState | undefined;
  readonly isChosen: boolean;
  readonly isOpen: boolean;
  readonly toggle: (name: string) => void;
}

type Then = (work: () => void | Promise<void>) => () => Promise<void>;

export function SaveBar(): JSX.Element {
  const editor = useEditor();
  const bar = useRef<HTMLElement>(null);
  const hasChanges = editor.changes.value.length > 0 && !editor.conflict.value;
  useEffect(keepFieldInSight, [editor.changes.value.length, editor.issues.value.length]);
  // The buttons disappear, so the focus moves to the bar.
  const then: Then = (work) => async () => {
    await work();
    bar.current?.focus();
  };
  return (
    <section class="save-bar" aria-label="Changes" tabIndex={-1} ref={bar}>
      <StatusRegion>
        <OutcomeView then={then} />
      </StatusRegion>
      {hasChanges && <Changes onSave={then(() => editor.save())} onDiscard={then(() => editor.discard())} />}
    </section>
  );
}

/** A growing bar would cover the focused field. */
function keepFieldInSight(): void {
  document.activeElement?.closest(".fields > .field")?.scrollIntoView({ block: "nearest" });
}

function Changes(props: { onSave: () => Promise<void>; onDiscard: () => Promise<void> }): JSX.Element {
  const { changes, issues, isSaving, read } = useEditor();
  const reason = usePage().identity.reasonAgainst("write");
  const [count, wrong] = [changes.value.length, issues.value.length];
  const title =
    wrong > 0
      ? `${pluralize(wrong, "problem")} to fix before saving`
      : `${pluralize(count, "change")} to ${read.value?.fileName ?? ""}`;
  return (
    <div class={`changes${wrong > 0 ? " wrong" : ""}`}>
      <h2>{title}</h2>
      <ul class="change-list" aria-label="Old and new values" tabIndex={0}>
        {changes.value.map((change) => (
          <ChangeView key={change.key} change={change} />
        ))}
      </ul>
      <div class="form-actions">
        <Button onClick={() => void props.onDiscard()}>Discard</Button>
        <Button variant="primary" disabled={wrong > 0} reason={reason} onClick={() => void props.onSave()}>
          {isSaving.value ? "Saving…" : "Save"}
        </Button>
      </div>
    </div>
  );
}

function OutcomeView({ then }: { then: Then }): JSX.Element | null {
  const editor = useEditor();
  const { outcome, conflict } = editor;
  const last = outcome.value;
  const dismiss = <IconButton icon="close" label="Dismiss" onClick={() => void (outcome.value = undefined)} />;
  if (last === undefined) return null;
  if ("written" in last) return <Saved written={last.written} dismiss={dismiss} undo={then(() => editor.undo())} />;
  if (conflict.value) return null;
  return (
    <ProblemLine problem={last.problem} action={dismiss}>
      <IssueList label="Refused values" issues={last.problem.issues ?? []} />
    </ProblemLine>
  );
}

interface SavedProps {
  readonly written: EnvWriteResponse;
  readonly dismiss: JSX.Element;
  readonly undo: () => Promise<void>;
}

function Saved({ written, dismiss, undo }: SavedProps): JSX.Element {
  const { isSaving } = useEditor();
  const { fileName, changedKeys, ignoredKeys, values, warnings } = written;
  const actions = (
    <span class="form-actions">
      {changedKeys.length > 0 && (
        <Button size="small" icon="undo" disabled={isSaving.value} onClick={() => void undo()}>
          Undo
        </Button>
      )}
      {dismiss}
    </span>
  );
  return (
    <StatusLine tone="success" action={actions}>
      <strong>
        {changedKeys.length === 0
          ? `Nothing was written: ${fileName} already has these values.`
          : `Saved ${pluralize(changedKeys.length, "key")} to ${fileName}.`}
      </strong>
      <ul class="change-list">
        {changedKeys.map((key) => (
          <li key={key} class="change">
            <code class="change-key">{key}</code> is now <Value of={key} value={values[key] ?? ""} />
          </li>
        ))}
      </ul>
      {ignoredKeys.length > 0 && <p>Ignored, because they may not be written: {ignoredKeys.join(", ")}.</p>}
      <IssueList label={`Warnings about ${fileName}`} issues={warnings} />
      {changedKeys.length > 0 && <StaleProcesses written={written} />}
    </StatusLine>
  );
}

/** Lists the apps with the former value, and those that never get the new one. */
function StaleProcesses({ written }: { written: EnvWriteResponse }): JSX.Element {
  const { staleProcesses, overrides, unknownEffect } = written;
  return (
    <>
      {overrides.map(({ key, app, fileName }) => (
        <p key={`${app} ${key}`}>
          {fileName} sets <code>{key}</code> for <bdi>{app}</bdi> and wins.
        </p>
      ))}
      {unknownEffect !== undefined && <p>svcm does not know which processes have the former value: {unknownEffect}</p>}
      {staleProcesses.length > 0 && <StaleApps written={written} />}
    </>
  );
}

function StaleApps({ written }: { written: EnvWriteResponse }): JSX.Element | null {
  const page = useConsole();
  const { answer, problem } = useRequest((signal) => page.api.metrics(written.environment, signal), [written]);
  if (answer === undefined && problem === undefined) return null;
  const { value: watched } = monitorOf(page).feed.environment;
  return <Stale apps={listStaleApps(written, watched, answer?.processes)} written={written} />;
}

function useChoice(apps: readonly StaleApp[], states: ReadonlyMap<string, RestartState>) {
  const excluded = useSignal<ReadonlySet<string>>(new Set());
  const open = apps.filter(({ name, refusal }) => refusal === undefined && states.get(name) !== "restarted");
  const chosen = open.filter(({ name }) => !excluded.value.has(name));
  const toggle = (name: string): void => {
    const next = new Set(excluded.value);
    if (!next.delete(name)) next.add(name);
    excluded.value = next;
  };
  return { open, chosen, toggle };
}

function Stale({ apps, written }: { apps: readonly StaleApp[]; written: EnvWriteResponse }): JSX.Element {
  const page = useConsole();
  const restarts = useMemo(() => createRestarts(page), [page, written]);
  const states = restarts.states.value;
  const isBusy = [...states.values()].includes("restarting");
  const { open, chosen, toggle } = useChoice(apps, states);
  return (
    <fieldset class="stale" disabled={isBusy}>
      <legend>{legendOf(apps, states)}</legend>
      <ul>
        {apps.map((app) => (
          <App
            key={app.name}
            app={app}
            state={states.get(app.name)}
            isChosen={chosen.includes(app)}
            isOpen={open.includes(app)}
            toggle={toggle}
          />
        ))}
      </ul>
      {restarts.problem.value !== undefined && <p class="field-issue">{restarts.problem.value}</p>}
      <div class="form-actions">
        <a href={page.router.href("plan", ["environment", written.environment])}>See the whole plan</a>
        {open.length > 0 && (
          <Button
            size="small"
            icon="restart"
            disabled={chosen.length === 0}
            reason={page.identity.reasonAgainst("act")}
            onClick={() => void restarts.run(chosen)}
          >
            {buttonLabel(chosen.length, isBusy)}
          </Button>
        )}
      </div>
    </fieldset>
  );
}

function App({ app, state, isChosen, isOpen, toggle }: AppProps): JSX.Element {
  return (
    <li>
      <Check checked={isChosen} disabled={!isOpen} onChange={() => toggle(app.name)}>
        <span>
          <bdi>{app.name}</bdi> <em>{state ?? noteOf(app)}</em>
        </span>
      </Check>
    </li>
  );
}

function noteOf({ refusal, scope }: StaleApp): string {
  if (refusal === "own") return "serves this page: restart it from a terminal";
  if (refusal === "elsewhere") return "restarts with the ecosystem file: use the plan";
  return scope === "ecosystem" ? "restarts with the ecosystem file" : "";
}

function buttonLabel(count: number, isBusy: boolean): string {
  if (isBusy) return "Restarting…";
  if (count === 0) return "Restart";
  return count === 1 ? "Restart 1" : `Restart ${count}, one after another`;
}
