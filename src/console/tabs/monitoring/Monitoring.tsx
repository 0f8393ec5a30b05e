import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { HostMetrics } from "../../../client/index.ts";
import { type Console, useConsole } from "../../console.ts";
import { formatBytes, formatDuration, formatTime } from "../../data/format.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { TabHead } from "../../ui/Card.tsx";
import { CodeLine } from "../../ui/Copy.tsx";
import { HostCharts } from "./HostCharts.tsx";
import { Inbox } from "./Inbox.tsx";
import { type Monitor, monitorOf } from "./monitor.ts";
import { AGAIN } from "./ProcessActions.tsx";
import { ProcessPanel } from "./ProcessPanel.tsx";
import { ProcessTable } from "./ProcessTable.tsx";
import { type Range, ranges } from "./view.ts";
import type { Shortcut } from "../../state/shortcuts.ts";
import { Check, RadioGroup, ticked } from "../../ui/Field.tsx";
import { StatusLine, StatusRegion, ProblemLine } from "../../ui/Problem.tsx";
import { useSignal, useSignalEffect } from "@preact/signals";

/** Longer ranges need recorded values. */
const MIN_RECORDED_RANGE = ranges["15m"];

export function Monitoring(): JSX.Element {
  const page = useConsole();
  const monitor = monitorOf(page);
  useEffect(() => monitor.feed.open(), [monitor]);
  useEffect(() => page.shortcuts.add(...rowKeys(page)), [page]);
  return (
    <>
      <ConnectionBanner monitor={monitor} />
      <TabHead title="Monitoring" about={<About monitor={monitor} />}>
        <Controls monitor={monitor} />
      </TabHead>
      <Recording monitor={monitor} />
      <div class={`monitoring-values${monitor.isOld.value ? " old" : ""}`}>
        <Inbox monitor={monitor} />
        <HostCharts monitor={monitor} />
        <ProcessTable monitor={monitor} />
      </div>
      <ProcessPanel monitor={monitor} />
    </>
  );
}

function About({ monitor: { feed, isOld } }: { monitor: Monitor }): JSX.Element {
  const { facts, router } = useConsole();
  const { cpu, system } = feed.displayed.value?.host ?? {};
  return (
    <>
      {isOld.value && <strong class="old-mark">old values · </strong>}
      {feed.state.value === "live" && !feed.isPaused.value && (
        <strong class="live-mark">{router.node === "" ? "live" : "every 2 s"} · </strong>
      )}
      {system ? <System system={system} /> : facts.host}
      {cpu?.model ? ` · ${cpu.model}` : ""}
    </>
  );
}

function System({ system }: { system: NonNullable<HostMetrics["system"]> }): JSX.Element {
  const { hostName, os, bootedAt } = system;
  const up = bootedAt === null ? "" : ` · up ${formatDuration(Date.now() - Date.parse(bootedAt))}`;
  return (
    <>
      {hostName} · {os}
      {up}
    </>
  );
}

const rangeOptions = Object.keys(ranges).map((value) => ({ value }));
const sinceRelease = (released: number) => ({
  value: "release",
  label: `since release ${formatTime(released * 1000).slice(5, 16)}`,
});

function Controls({ monitor }: { monitor: Monitor }): JSX.Element {
  const { feed, view } = monitor;
  const released = view.released.value;
  const isPaused = feed.isPaused.value;
  return (
    <>
      {isPaused && <span class="badge warning">Paused, {feed.secondsBehind.value} s behind</span>}
      <RadioGroup
        label="Time shown"
        value={view.range.value}
        options={released === undefined ? rangeOptions : [...rangeOptions, sinceRelease(released)]}
        onChange={(value) => view.choose(value as Range)}
      />
      <ComparisonSwitch monitor={monitor} />
      <Button icon={isPaused ? "play" : "pause"} onClick={() => view.pause(!isPaused)}>
        <span class="pause-word">{isPaused ? "Resume" : "Pause"}</span>
      </Button>
      <NotificationSwitch monitor={monitor} />
    </>
  );
}

function ComparisonSwitch({ monitor: { history, view } }: { monitor: Monitor }): JSX.Element | null {
  const { isComparing, isAvailable } = history;
  if (!isAvailable.value) return null;
  return (
    <Check {...ticked(isComparing)}>
      Compare with {view.range.value === "release" ? "the same time" : `the ${view.range.value}`} before
    </Check>
  );
}

function NotificationSwitch({ monitor: { notifications } }: { monitor: Monitor }): JSX.Element | null {
  if (!notifications.isPossible) return null;
  const isOn = notifications.isOn.value;
  return (
    <IconButton
      icon="bell"
      label="Notify me of trouble while this page is hidden"
      aria-pressed={isOn}
      onClick={() => void notifications.turn(!isOn)}
    />
  );
}

const rows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-row]")];

const hasFocus = (row: HTMLElement): boolean => row.closest("tr")?.contains(document.activeElement) ?? false;

const move = (step: number) => (): void => {
  const all = rows();
  const at = all.findIndex(hasFocus);
  all[at < 0 ? 0 : at + step]?.focus();
};

/** The row with the focus, or the one whose process is beside the list. */
const chosen = (): HTMLElement | undefined => rows().find(hasFocus) ?? rows().find((row) => row.ariaCurrent === "true");

/** The single keys of the list: to the next and the previous process, and what is done with one. */
function rowKeys({ router, toasts }: Pick<Console, "router" | "toasts">): readonly Shortcut[] {
  return [
    { key: "j", label: "Go to the next process", run: move(1) },
    { key: "k", label: "Go to the previous process", run: move(-1) },
    {
      key: "l",
      label: "Open the log of the process",
      run() {
        const row = chosen();
        if (row) location.hash = router.href("logs", ["apps", row.title]);
      },
    },
    {
      key: AGAIN,
      label: "Restart the process, or reload it if it is a cluster",
      run() {
        const button = chosen()?.closest("tr")?.querySelector<HTMLButtonElement>(`[aria-keyshortcuts=${AGAIN}]`);
        // A button that is not offered says why.
        if (button?.disabled) toasts.info(button.title);
        else button?.click();
      },
    },
  ];
}

function Recording({ monitor: { history, view } }: { monitor: Monitor }): JSX.Element {
  const { toasts, router } = useConsole();
  const recorder = history.recorder.value;
  const isLong = view.seconds.value >= MIN_RECORDED_RANGE;
  const isHere = router.node === "";
  const record = (): void => void history.record(true).catch((error: unknown) => toasts.error(error, "record"));
  return (
    <StatusRegion>
      {recorder?.problem && (
        <StatusLine tone="error">
          <strong>The last step was not recorded.</strong> {recorder.problem.details} ({recorder.problem.code})
        </StatusLine>
      )}
      {recorder && !recorder.on && isLong && isHere && (
        <StatusLine
          tone="info"
          action={
            <Button size="small" onClick={record}>
              Record
            </Button>
          }
        >
          <strong>The past is not recorded.</strong> A recording takes about 0.2% of a core for 20 processes and at most
          64 MB, and lasts until the server ends. This line of <code>svcm.yaml</code> records at each start:{" "}
          <CodeLine text="record: true" what="the line" />
        </StatusLine>
      )}
      {recorder?.on && recorder.since !== null && isLong && (
        <p class="recording">
          Recording · {formatBytes(recorder.bytes)} since {formatTime(recorder.since)}
        </p>
      )}
    </StatusRegion>
  );
}

/** The banner overlays the page, so that nothing moves when it appears. */
function ConnectionBanner({ monitor: { feed } }: { monitor: Monitor }): JSX.Element {
  const refusal = feed.refusal.value;
  const retry = (
    <Button size="small" onClick={() => feed.reconnect()}>
      Try now
    </Button>
  );
  return (
    <div class="connection-banner">
      <StatusRegion>
        {refusal && <ProblemLine problem={{ error: refusal.details, code: refusal.code }} action={retry} />}
        {!refusal && feed.isLost.value && feed.state.value === "connecting" && (
          <StatusLine tone="error" action={retry}>
            <strong>No connection to the server.</strong> <LastUpdate at={feed.displayed.value?.time} /> Reconnecting.
          </StatusLine>
        )}
        {feed.state.value === "stale" && (
          <StatusLine tone="warning" action={retry}>
            <Silence feed={feed} /> PM2 does not answer, or the network is slow.{" "}
            <LastUpdate at={feed.displayed.value?.time} />
          </StatusLine>
        )}
      </StatusRegion>
    </div>
  );
}

/** Screen readers do not announce the seconds, because they change constantly. */
function Silence({ feed }: Pick<Monitor, "feed">): JSX.Element {
  const seconds = useSignal(feed.silentSeconds());
  useSignalEffect(() => {
    const timer = setInterval(() => void (seconds.value = feed.silentSeconds()), 1_000);
    return () => clearInterval(timer);
  });
  if (seconds.value === undefined) return <strong>No sample yet.</strong>;
  return (
    <strong>
      No sample for <span aria-hidden="true">{seconds.value} s</span>
      <span class="hidden">some seconds</span>.
    </strong>
  );
}

function LastUpdate({ at }: { at: number | undefined }): JSX.Element {
  return at === undefined ? <></> : <>The values are from {formatTime(at * 1000).slice(11)}.</>;
}
