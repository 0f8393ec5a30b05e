import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useConsole } from "../../console.ts";
import { formatNumber, formatShare } from "../../data/format.ts";
import { extentOf } from "../../data/series.ts";
import { Chart } from "../../ui/Chart.tsx";
import { partOf } from "../../ui/chart/scene.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { CPU, DISK, MEMORY } from "./history.ts";
import { Cores, CpuFacts, DiskFacts, Disks, MemoryFacts, MemoryShares } from "./HostFacts.tsx";
import type { Monitor } from "./monitor.ts";

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
  const { feed, view } = monitor;
  const [, values = []] = feed.history.host?.read(view.span.value, [columnOf(tone)]) ?? [];
  const { min, average, max } = extentOf(values);
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
  const { feed, view } = monitor;
  const { isZoomed, range, span, cursor } = view;
  const lines = linesOf(tone, monitor);
  const columns = lines.map(([, column]) => column);
  return (
    <Chart
      label={`${titles[tone]} of the host in percent, over ${isZoomed.value ? "a part of " : ""}the last ${range.value}`}
      tone={tone}
      lines={lines.map(([name]) => name)}
      read={() => partOf(feed.history.host, span.value, columns)}
      top={100}
      format={formatShare}
      height={height}
      cursor={cursor}
      onZoom={(part) => view.zoom(part)}
    />
  );
}

/** The names of what a chart shows, each with its column. */
function linesOf(tone: Tone, { feed, showsCores }: Monitor): (readonly [name: string, column: number])[] {
  const { coreCount, diskCount } = feed.history;
  if (tone === "disk") {
    const disks = feed.shown.value?.host.disk ?? [];
    return Array.from({ length: Math.max(diskCount, 1) }, (_, at) => [disks[at]?.path ?? "Disk", DISK + at]);
  }
  const cores = tone === "cpu" && showsCores.value ? coreCount : 0;
  return [
    [titles[tone], columnOf(tone)],
    ...Array.from({ length: cores }, (_, at) => [`Core ${at + 1}`, DISK + diskCount + at] as const),
  ];
}

function columnOf(tone: Tone): number {
  return tone === "cpu" ? CPU : tone === "memory" ? MEMORY : DISK;
}
