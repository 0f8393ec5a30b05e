import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { HostMetrics } from "../../../client/index.ts";
import { useConsole } from "../../console.ts";
import { formatBytes, formatDuration, formatTime } from "../../data/format.ts";
import { Button, IconButton } from "../../ui/Button.tsx";
import { Check } from "../../ui/Check.tsx";
import { RadioGroup } from "../../ui/RadioGroup.tsx";
import { TabHead } from "../../ui/TabHead.tsx";
import { ConnectionBanner } from "./ConnectionBanner.tsx";
import { HostCharts } from "./HostCharts.tsx";
import { Inbox } from "./Inbox.tsx";
import { monitorOf, type Monitor } from "./monitor.ts";
import { ProcessPanel } from "./ProcessPanel.tsx";
import { ProcessTable } from "./ProcessTable.tsx";
import { Recording } from "./Recording.tsx";
import { rowKeys } from "./row-keys.ts";
import { ranges, type Range } from "./view.ts";

export function Monitoring(): JSX.Element {
  const page = useConsole();
  const monitor = monitorOf(page);
  useEffect(() => monitor.feed.open(), [monitor]);
  useEffect(() => page.shortcuts.add(...rowKeys(page.router)), [page]);
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
  const { hostName, os, kernel, architecture, virtualization, bootedAt, fileSystems, interfaces } = system;
  const more = [
    `${os}, ${kernel}, ${[architecture, virtualization].filter(Boolean).join(", ")}`,
    ...interfaces.map(({ name, addresses }) => `${name}: ${addresses.join(", ")}`),
    ...fileSystems.map(({ path, type, totalBytes }) => `${path}: ${type}, ${formatBytes(totalBytes)}`),
  ];
  const up = bootedAt === null ? "" : ` · up ${formatDuration(Date.now() - Date.parse(bootedAt))}`;
  return (
    <span title={more.join("\n")}>
      {hostName} · {os}
      {up}
    </span>
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
    <Check checked={isComparing.value} onChange={(isChecked) => void (isComparing.value = isChecked)}>
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
