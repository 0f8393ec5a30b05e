import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { EnvWriteResponse } from "../../../core/api/bodies.ts";
import { useConsole } from "../../console.ts";
import { Button } from "../../ui/Button.tsx";
import { Check } from "../../ui/Check.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { monitorOf } from "../monitoring/monitor.ts";
import { createRestarts, legendOf, listStaleApps, type RestartState, type StaleApp } from "./restarts.ts";

/** Lists the apps with the former value, and those that never get the new one. */
export function StaleProcesses({ written }: { written: EnvWriteResponse }): JSX.Element {
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

interface AppProps {
  readonly app: StaleApp;
  readonly state: RestartState | undefined;
  readonly isChosen: boolean;
  readonly isOpen: boolean;
  readonly toggle: (name: string) => void;
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
