import type { JSX } from "preact";
import { usePage } from "../../console.ts";
import { formatNumber, formatTime, inLocalTime, pluralize } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { MISSING, troubleKind } from "../../../core/alerts/muted.ts";
import { MarkActions, Muted } from "./MarkActions.tsx";
import { Proposals } from "./Proposals.tsx";
import { meters, tones } from "./meters.tsx";
import type { Monitor } from "./monitor.ts";
import { statusLabel, statusOf } from "./process-status.ts";
import { actionFor, ProcessActions } from "./ProcessActions.tsx";
import { countApps, findTroubles, silenceOf, type Trouble } from "./problems.ts";
import { type AppGroup, keyOf } from "./rows.ts";
import { useReport } from "./Why.tsx";
import { Names } from "../../ui/Names.tsx";

/** Each card asks the server, so only the first ones are cards. */
const MAX_CARDS = 5;

/** The first answer of the page: what needs the user, why, and the one right action. */
export function Inbox({ monitor }: { monitor: Monitor }): JSX.Element | null {
  const sample = monitor.feed.displayed.value;
  if (sample === undefined) return null;
  // While PM2 is silent, nothing is known of the apps; proposals and mutes are not PM2's.
  const isKnown = sample.metrics !== undefined && sample.refusal === undefined;
  const troubles = isKnown && sample.metrics ? findTroubles(sample.metrics, monitor.marks.list.value) : [];
  const more = troubles.length - MAX_CARDS;
  return (
    <section class="inbox" aria-label="Attention">
      <StateLine monitor={monitor} troubles={troubles} />
      {troubles.length + monitor.marks.proposals.value.length > 0 && (
        <ul>
          {troubles.slice(0, MAX_CARDS).map((trouble) => (
            <li key={trouble.kind === "app" ? trouble.row.key : ""} class="card">
              {trouble.kind === "app" ? (
                <AppCard row={trouble.row} count={trouble.count} monitor={monitor} />
              ) : (
                <MissingCard names={trouble.names} monitor={monitor} />
              )}
            </li>
          ))}
          <Proposals monitor={monitor} />
        </ul>
      )}
      <Muted monitor={monitor} />
      {more > 0 && <p class="reason">And {pluralize(more, "app")} more, at the top of the list.</p>}
    </section>
  );
}

function StateLine({ monitor, troubles }: { monitor: Monitor; troubles: readonly Trouble[] }): JSX.Element {
  const { host, time, refusal } = monitor.feed.displayed.value ?? {};
  const apps = countApps(troubles);
  const usage = tones.map((tone) => `${meters[tone].title} ${formatNumber(host && meters[tone].percent(host), 0)}%`);
  return (
    <p class={`state-line${apps > 0 || refusal !== undefined ? " bad" : ""}`}>
      {monitor.isOld.value && time !== undefined && <span>At {formatTime(time * 1000).slice(11)}:</span>}
      <AppsLine apps={apps} monitor={monitor} />
      {usage.map((text) => (
        <span key={text.replace(/[\d–]+ %/, "")}>{text}</span>
      ))}
    </p>
  );
}

function AppsLine({ apps, monitor }: { apps: number; monitor: Monitor }): JSX.Element | null {
  const { metrics, refusal } = monitor.feed.displayed.value ?? {};
  const { errors, at = "" } = monitor.problemCount.value;
  if (refusal)
    return (
      <>
        <strong>{silenceOf(refusal.code)}</strong>
        {errors !== undefined && (
          <span>
            {pluralize(errors, "app")} needed attention at {formatTime(at).slice(11)}
          </span>
        )}
      </>
    );
  if (metrics === undefined) return null;
  // As the filter of the list: of the selected service, and without those in trouble.
  const online = metrics.processes.filter((process) => statusOf(process) === "online").length;
  // Without the ecosystem file, no declared app is known that does not run.
  const isUnknown = metrics.ecosystem.error !== undefined;
  const none = isUnknown ? "No process needs attention, the declared apps are unknown" : "No app needs attention";
  const needs = apps === 0 ? none : `${pluralize(apps, "app needs", "apps need")} attention`;
  return (
    <>
      <strong>{needs}</strong>
      <span>{online} online</span>
    </>
  );
}

function AppCard({ row, count, monitor }: { row: AppGroup; count: number; monitor: Monitor }): JSX.Element {
  const { process, instances } = row;
  const { name, problem } = process;
  const status = statusOf(process);
  const worst = instances.find((instance) => statusOf(instance) === status) ?? process;
  return (
    <>
      <p class="inbox-head">
        <i class={`dot ${status}`} aria-hidden="true" />
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <span class={`status ${status}`}>{statusLabel(process)}</span>
        {instances.length > 1 && (
          <small>
            {count} of {instances.length}
          </small>
        )}
      </p>
      <Reason name={name} problem={problem} monitor={monitor} restarts={process.restartCount} />
      <span class="form-actions">
        <Button size="small" onClick={() => monitor.side.show(keyOf(worst))}>
          Details
        </Button>
        <ProcessActions row={row} monitor={monitor} isInWords only={actionFor(row)} />
        <MarkActions subjects={[name]} kinds={kindsOf(row)} monitor={monitor} />
      </span>
    </>
  );
}

/** The troubles of its instances. */
function kindsOf({ instances }: AppGroup): string[] {
  const troubled = instances.filter(({ problem, state }) => problem !== null || state === "stopped");
  return [...new Set(troubled.map(troubleKind))];
}

interface ReasonProps {
  readonly name: string;
  readonly problem: AppGroup["process"]["problem"];
  readonly monitor: Monitor;
  readonly restarts: number | null;
}

/** The line of its error log first, because it says most. */
function Reason({ name, problem, monitor, restarts }: ReasonProps): JSX.Element {
  const { code, details } = problem ?? {};
  const why = useReport(name, monitor, [restarts, code]).report?.why;
  return (
    <>
      {why?.reason && <pre class="error-lines">{why.reason}</pre>}
      <p>
        {details ? inLocalTime(details) : "It is declared and does not run, and svcm knows no request that stopped it."}
      </p>
      {why?.event && <p class="reason">Its last end was at {formatTime(why.event.at)}.</p>}
      {why?.now.map((sentence) => (
        <p key={sentence} class="reason">
          {inLocalTime(sentence)}
        </p>
      ))}
    </>
  );
}

function MissingCard({ names, monitor }: { names: readonly string[]; monitor: Monitor }): JSX.Element {
  return (
    <>
      <p class="inbox-head">
        <i class="dot errored" aria-hidden="true" />
        <strong>{pluralize(names.length, "declared app does", "declared apps do")} not run</strong>
      </p>
      <p>
        PM2 does not know {names.length === 1 ? "it" : "them"}: <Names of={names} end="." />
      </p>
      <span class="form-actions">
        <StartAll names={names} monitor={monitor} />
        <MarkActions subjects={names} kinds={[MISSING]} monitor={monitor} />
      </span>
    </>
  );
}

function StartAll({ names, monitor }: { names: readonly string[]; monitor: Monitor }): JSX.Element {
  const { identity } = usePage();
  const isBusy = names.some((name) => monitor.underWay.value.has(name));
  const label = names.length === 1 ? "Start" : `Start all ${names.length}`;
  return (
    <Button
      size="small"
      icon="play"
      disabled={isBusy || monitor.feed.state.value !== "live"}
      reason={identity.reasonAgainst("act")}
      onClick={() => void monitor.startDeclared(names, label)}
    >
      {isBusy ? "Starting…" : label}
    </Button>
  );
}
