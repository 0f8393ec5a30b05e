import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useConsole } from "../../console.ts";
import { formatNumber } from "../../data/format.ts";
import { extentOf, type SeriesPart } from "../../data/series.ts";
import { Chart } from "../../ui/Chart.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { CPU, DISK, MEMORY } from "./history.ts";
import { Cores, CpuFacts, DiskFacts, Disks, MemoryFacts, MemoryShares } from "./HostFacts.tsx";
import type { Monitor } from "./monitor.ts";
import { ranges } from "./monitor.ts";

type Tone = "cpu" | "memory" | "disk";
const titles: Readonly<Record<Tone, string>> = { cpu: "CPU", memory: "Memory", disk: "Disk" };
const tones = Object.keys(titles) as Tone[];

/** Three cards side by side; on a phone one, with the other two a touch away. */
export function HostCharts({ monitor }: { monitor: Monitor }): JSX.Element {
  const { appearance } = useConsole();
  if (monitor.feed.shown.value === undefined) {
    return <EmptyState icon="activity" title="Waiting for the first sample" />;
  }
  return appearance.isNarrow.value ? <NarrowHost monitor={monitor} /> : <WideHost monitor={monitor} />;
}

function WideHost({ monitor }: { monitor: Monitor }): JSX.Element {
  return (
    <div class="host-cards">
      {tones.map((tone) => (
        <section key={tone} class="card host" aria-label={titles[tone]}>
          <div class="host-head">
            <Name tone={tone} />
            <Facts tone={tone} monitor={monitor} />
          </div>
          <div class="host-now">
            <Now tone={tone} monitor={monitor} />
            <Extent tone={tone} monitor={monitor} />
          </div>
          <HostChart tone={tone} monitor={monitor} height={112} />
          <Foot tone={tone} monitor={monitor} />
        </section>
      ))}
    </div>
  );
}

function NarrowHost({ monitor }: { monitor: Monitor }): JSX.Element {
  const chosen = useSignal<Tone>("cpu");
  const tone = chosen.value;
  return (
    <section class="card host" aria-label="Host">
      <fieldset class="host-tiles">
        <legend class="hidden">Chart</legend>
        {tones.map((other) => (
          <label key={other} class={other === tone ? "chosen" : ""}>
            <input
              type="radio"
              name="host-chart"
              checked={other === tone}
              onChange={() => void (chosen.value = other)}
            />
            <Name tone={other} />
            <Now tone={other} monitor={monitor} digits={0} />
          </label>
        ))}
      </fieldset>
      <div class="host-head">
        <Facts tone={tone} monitor={monitor} />
        <Extent tone={tone} monitor={monitor} />
      </div>
      <HostChart key={tone} tone={tone} monitor={monitor} height={150} />
      <Foot tone={tone} monitor={monitor} />
    </section>
  );
}

function Name({ tone }: { tone: Tone }): JSX.Element {
  return (
    <span class={`host-name ${tone}`}>
      <i aria-hidden="true" />
      {titles[tone]}
    </span>
  );
}

function Facts({ tone, monitor }: { tone: Tone; monitor: Monitor }): JSX.Element | null {
  const host = monitor.feed.shown.value?.host;
  if (host === undefined) return null;
  if (tone === "cpu") return <CpuFacts cpu={host.cpu} />;
  return tone === "memory" ? <MemoryFacts memory={host.memory} /> : <DiskFacts disk={host.disk} />;
}

function Foot({ tone, monitor }: { tone: Tone; monitor: Monitor }): JSX.Element {
  if (tone === "cpu") return <Cores monitor={monitor} />;
  return tone === "memory" ? <MemoryShares monitor={monitor} /> : <Disks monitor={monitor} />;
}

function Now({ tone, monitor, digits = 1 }: { tone: Tone; monitor: Monitor; digits?: number }): JSX.Element {
  const host = monitor.feed.shown.value?.host;
  const disk = host?.disk[0];
  const values = {
    cpu: host?.cpu.usagePercent,
    memory: host?.memory.usedPercent,
    disk: disk && "usedPercent" in disk ? disk.usedPercent : null,
  };
  return (
    <span class="now">
      {formatNumber(values[tone], digits)}
      <small>%</small>
    </span>
  );
}

function Extent({ tone, monitor }: { tone: Tone; monitor: Monitor }): JSX.Element {
  const { min, average, max } = extentOf(readHost(monitor, [columnOf(tone)]).part[1] ?? []);
  const parts = { min, avg: average, max };
  return (
    <span class="extent">
      {Object.entries(parts).map(([name, value]) => (
        <span key={name} class={name}>
          {name} <strong>{formatNumber(value, 0)}</strong>
        </span>
      ))}
    </span>
  );
}

function HostChart({ tone, monitor, height }: { tone: Tone; monitor: Monitor; height: number }): JSX.Element {
  const { history } = monitor.feed;
  const cores = tone === "cpu" && monitor.showsCores.value ? history.coreCount : 0;
  const disks = tone === "disk" ? Math.max(history.diskCount, 1) : 1;
  const columns = [
    ...Array.from({ length: disks }, (_, at) => columnOf(tone) + at),
    ...Array.from({ length: cores }, (_, at) => DISK + history.diskCount + at),
  ];
  return (
    <Chart
      label={`${titles[tone]} of the host in percent, over the last ${monitor.range.value}`}
      tone={tone}
      lines={columns.map(String)}
      read={() => readHost(monitor, columns)}
      top={100}
      format={(value) => `${value}%`}
      height={height}
      sync="host"
      onZoom={() => monitor.feed.pause(true)}
    />
  );
}

function columnOf(tone: Tone): number {
  return tone === "cpu" ? CPU : tone === "memory" ? MEMORY : DISK;
}

/** The columns over the shown time; what is on the screen ends it, paused or not. */
function readHost({ feed, range }: Monitor, columns: readonly number[]) {
  const to = feed.shown.value?.time ?? 0;
  const from = to - ranges[range.value];
  const [times, ...values] = feed.history.host?.read(from, to) ?? [[]];
  const part: SeriesPart = [times, ...columns.map((column) => values[column] ?? [])];
  return { part, from, to };
}
