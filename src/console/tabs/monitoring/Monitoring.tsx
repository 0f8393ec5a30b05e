import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { interval } from "../../../core/api/channel.ts";
import { useConsole } from "../../console.ts";
import { Button } from "../../ui/Button.tsx";
import { Segmented } from "../../ui/Segmented.tsx";
import { TabHead } from "../../ui/TabHead.tsx";
import { ConnectionBanner } from "./ConnectionBanner.tsx";
import { HostCharts } from "./HostCharts.tsx";
import { monitorOf, type Monitor } from "./monitor.ts";
import { ProcessTable } from "./ProcessTable.tsx";
import { ranges, type Range } from "./view.ts";

export function Monitoring(): JSX.Element {
  const monitor = monitorOf(useConsole());
  useEffect(() => monitor.feed.open(), [monitor]);
  return (
    <>
      <ConnectionBanner monitor={monitor} />
      <TabHead title="Monitoring" about={<About monitor={monitor} />}>
        <Controls monitor={monitor} />
      </TabHead>
      <div class={`monitoring-values${monitor.isOld.value ? " old" : ""}`}>
        <HostCharts monitor={monitor} />
        <ProcessTable monitor={monitor} />
      </div>
    </>
  );
}

function About({ monitor: { feed, isOld } }: { monitor: Monitor }): JSX.Element {
  const { facts } = useConsole();
  const model = feed.shown.value?.host.cpu.model;
  return (
    <>
      {facts.host}
      {model ? ` · ${model}` : ""}
      {isOld.value && <strong class="old-mark"> · old values</strong>}
      {feed.state.value === "live" && !feed.isPaused.value && <strong class="live-mark"> · live</strong>}
    </>
  );
}

const rangeOptions = Object.keys(ranges).map((value) => ({ value }));
const intervalOptions = [interval.min, interval.default, interval.max].map((ms) => ({
  value: String(ms),
  label: `${ms / 1000}s`,
}));

function Controls({ monitor: { feed, view } }: { monitor: Monitor }): JSX.Element {
  const isPaused = feed.isPaused.value;
  return (
    <>
      {isPaused && <span class="badge warning">Paused, {feed.secondsBehind.value} s behind</span>}
      <Segmented
        label="Time shown"
        value={view.range.value}
        options={rangeOptions}
        onChange={(value) => view.choose(value as Range)}
      />
      <Segmented
        label="Time between two samples"
        value={String(feed.intervalMs.value)}
        options={intervalOptions}
        onChange={(value) => {
          feed.intervalMs.value = Number(value);
          feed.subscribe();
        }}
      />
      <Button icon={isPaused ? "play" : "pause"} onClick={() => view.pause(!isPaused)}>
        <span class="pause-word">{isPaused ? "Resume" : "Pause"}</span>
      </Button>
    </>
  );
}
