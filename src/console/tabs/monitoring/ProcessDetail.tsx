import type { ComponentChildren, JSX } from "preact";
import { shellQuote } from "../../../core/words/text.ts";
import { usePage } from "../../console.ts";
import { formatBytes, formatRate, formatShare, formatTime, pluralize, UNKNOWN } from "../../data/format.ts";
import { type Description, DescriptionList } from "../../ui/Card.tsx";
import { LogLink } from "../logs/LogLink.tsx";
import { driftOf, type ProcessProps, rowIn } from "./monitor.ts";
import { rangeText } from "./view.ts";
import { ProcessActions } from "./ProcessActions.tsx";
import { RowChart } from "./HostCharts.tsx";
import { MarkActions } from "./MarkActions.tsx";
import { groupByApp, keyOf, singleGroup, driftText, isApplicable } from "./rows.ts";
import { Why } from "./Why.tsx";
import type { ProcessMetrics } from "../../../client/index.ts";
import { ProblemText } from "../../ui/Problem.tsx";
import { toText } from "../../state/form.ts";
import { escapeHidden } from "../../../core/words/characters.ts";
import { Button } from "../../ui/Button.tsx";
import { CodeLine } from "../../ui/Copy.tsx";

type Context = NonNullable<ProcessMetrics["asyncContext"]>;

const BYTE_STEPS = Array.from({ length: 32 }, (_, at) => 1024 * 2 ** at);

export function ProcessDetail({ process, monitor }: ProcessProps): JSX.Element {
  const metrics = metricsOf(process);
  const drift = driftOf(monitor, process);
  const { router } = usePage();
  return (
    <div class="detail">
      <Part title="Why" process={process}>
        <Why process={process} monitor={monitor} />
        <span class="form-actions">
          <ProcessActions row={singleGroup(process)} monitor={monitor} isInWords />
          <AllInstances process={process} monitor={monitor} />
          <LogLink app={process.name}>Open the log</LogLink>
          <a class="button plain small" href={router.href("activity", ["find", process.name])}>
            Activity
          </a>
          <MarkActions subjects={[process.name]} kinds={[]} monitor={monitor} />
        </span>
      </Part>
      <Since process={process} monitor={monitor} />
      <Charts process={process} monitor={monitor} />
      <Part title="Facts" process={process}>
        <Facts process={process} />
      </Part>
      {drift.length > 0 && (
        <Part title="Drift from the ecosystem file" process={process}>
          <Drift process={process} monitor={monitor} drift={drift} />
        </Part>
      )}
      {metrics.length > 0 && (
        <Part title="Metrics of the app" process={process}>
          <DescriptionList items={metrics} />
        </Part>
      )}
      {process.asyncContext && (
        <Part title="Async context" process={process}>
          <AsyncContext context={process.asyncContext} />
        </Part>
      )}
    </div>
  );
}

/** The app of the process as a whole: only so can a reload keep some instances while others start again. */
function AllInstances({ process, monitor }: ProcessProps): JSX.Element | null {
  const processes = monitor.feed.displayed.value?.metrics?.processes ?? [];
  const group = groupByApp(processes).find(({ instances }) => instances.includes(process));
  return group === undefined || group.instances.length === 1 ? null : (
    <ProcessActions row={group} monitor={monitor} isInWords />
  );
}

/** Says how the process has changed within the range of the charts, and nothing of what is not known. */
function Since({ process, monitor }: ProcessProps): JSX.Element | null {
  const { events, view } = monitor;
  const { growth } = rowIn(monitor, singleGroup(process));
  const { from } = view.span.value;
  const ends = events.failures(process.name).filter((time) => time >= from).length;
  const counted = `${events.isWhole.value ? "" : "at least "}${pluralize(ends, "unexpected end")}`;
  const words = [
    growth && `memory ${growth.bytes < 0 ? "−" : "+"}${formatBytes(Math.abs(growth.bytes))}`,
    events.isWhole.value !== undefined && `${counted} of ${process.name}`,
  ].filter(Boolean);
  if (words.length === 0) return null;
  return (
    <p class="reason">
      In {rangeText(view.range.value)}: {words.join(", ")}.
    </p>
  );
}

function Charts({ process, monitor }: ProcessProps): JSX.Element {
  const { name } = process;
  const props = { monitor, row: keyOf(process), app: name, height: 130 };
  return (
    <>
      <Part title="CPU" process={process} isHalf>
        <RowChart
          {...props}
          columns={[0]}
          label={`CPU of ${name}, in percent of one core`}
          tone="cpu"
          lines={["CPU"]}
          format={formatShare}
        />
      </Part>
      <Part title="Memory" process={process} isHalf>
        <RowChart
          {...props}
          columns={[1]}
          label={`Memory of ${name}`}
          tone="memory"
          lines={["Memory"]}
          format={formatBytes}
          steps={BYTE_STEPS}
        />
      </Part>
    </>
  );
}

function Part(props: {
  title: string;
  process: ProcessProps["process"];
  isHalf?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const { title, process, isHalf = false, children } = props;
  return (
    <section
      class={`card part${isHalf ? " half" : ""}`}
      aria-label={`${title} of ${process.name}, PM2 id ${process.pmId}`}
    >
      <h3>{title}</h3>
      {children}
    </section>
  );
}

function Facts({ process }: Pick<ProcessProps, "process">): JSX.Element {
  return <DescriptionList items={[...identityOf(process), ...runOf(process)]} />;
}

function identityOf(process: ProcessProps["process"]): Description[] {
  const { pid, pmId, script, namespace, execMode, instances, interpreter, nodeVersion, version } = process;
  return [
    ["PID", `${pid ?? UNKNOWN} (PM2 id ${pmId})`],
    ["Namespace", namespace ?? UNKNOWN],
    ["Runs", joinParts([execMode, instances === null ? null : pluralize(instances, "instance")])],
    ["Interpreter", joinParts([interpreter, nodeVersion && `Node.js ${nodeVersion}`])],
    ["Script", script ?? UNKNOWN],
    ["App version", version ?? UNKNOWN],
  ];
}

function runOf(process: ProcessProps["process"]): Description[] {
  const { startedAt, watching, diskIo } = process;
  return [
    ["Started", startedAt === null ? UNKNOWN : formatTime(startedAt)],
    ["Watching files", watching === null ? UNKNOWN : watching ? "yes" : "no"],
    ["Disk read", diskText(diskIo, diskIo.readBytes, diskIo.readBytesPerSecond)],
    ["Disk written", diskText(diskIo, diskIo.writeBytes, diskIo.writeBytesPerSecond)],
  ];
}

/** Adds no unit to a value that already ends with it. */
function metricsOf({ customMetrics, customMetricUnits }: ProcessProps["process"]): Description[] {
  const units = new Map(Object.entries(customMetricUnits));
  return Object.entries(customMetrics).map(([name, value]) => {
    const unit = units.get(name) ?? "";
    return [name, `${value}`.endsWith(unit) ? `${value}` : `${value} ${unit}`];
  });
}

function joinParts(parts: readonly (string | null | undefined)[]): string {
  return parts.filter(Boolean).join(" · ") || UNKNOWN;
}

function diskText(
  { supported, platform, error, code }: ProcessProps["process"]["diskIo"],
  bytes: number | null,
  rate: number | null,
): string {
  if (error !== undefined) return `${error}${code === undefined ? "" : ` (${code})`}`;
  return supported ? `${formatBytes(bytes)} (${formatRate(rate)})` : `not available on ${platform}`;
}

/** The service has redacted the stores. */
function AsyncContext({ context }: { context: Context }): JSX.Element {
  if (isFailure(context)) {
    const { error, code, status } = context;
    return <ProblemText problem={{ error, code: status === undefined ? code : `${code} (${status})` }} />;
  }
  const { recentStores, ...counters } = context;
  return (
    <>
      <DescriptionList items={Object.entries(counters).map(([name, value]) => [name, toText(value)])} />
      {recentStores.map((store, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- stores have no name, the newest is the first
        <details key={at} class="store">
          <summary>Store {at + 1}</summary>
          <DescriptionList items={Object.entries(store).map(([name, value]) => [name, toText(value)])} />
        </details>
      ))}
    </>
  );
}

function isFailure(context: Context): context is Extract<Context, { error: string }> {
  return typeof context["error"] === "string";
}

type Entries = ReturnType<typeof driftOf>;

/** The server never sends the values of variables. */
function Drift({ drift, ...about }: ProcessProps & { drift: Entries }): JSX.Element {
  const { router } = usePage();
  return (
    <>
      <ul class="drift">
        {drift.map((entry) => (
          <li key={`${entry.field} ${entry.key ?? ""} ${entry.state} ${entry.declared}`}>
            <code>{entry.key ?? entry.field}</code>
            <span class="drift-words">{driftText(entry)}</span>
          </li>
        ))}
      </ul>
      <p>
        <a href={router.href("plan", ["environment", about.monitor.feed.environment.value])}>See the plan</a>
      </p>
      {drift.some(isApplicable) && <Apply {...about} />}
    </>
  );
}

function Apply({ process, monitor }: ProcessProps): JSX.Element {
  const { name, isOwn } = process;
  const environment = monitor.feed.environment.value;
  const key = keyOf(process);
  const isBusy = monitor.underWay.value.has(key);
  const apply = async (): Promise<void> => {
    const question = `Restart ${escapeHidden(name)} with the ecosystem file of ${environment}?`;
    const may = await monitor.mayEnd("Restart", [escapeHidden(name)], question);
    if (may) await monitor.act({ action: "restart", scope: "ecosystem", name }, key);
  };
  return (
    <div class="drift-apply">
      <Button
        size="small"
        icon="restart"
        disabled={isBusy || isOwn || monitor.feed.state.value !== "live"}
        {...(isOwn && { reason: "It serves this page. Use the command." })}
        onClick={() => void apply()}
      >
        {isBusy ? "Restarting…" : "Restart with the ecosystem file"}
      </Button>
      <CodeLine
        text={`svcm restart ${shellQuote(name)} ${monitor.flags.value}`}
        what="the command that restarts it with the ecosystem file"
      />
    </div>
  );
}
