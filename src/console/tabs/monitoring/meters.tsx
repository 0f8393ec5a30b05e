import type { ComponentType, JSX } from "preact";
import type { HostMetrics } from "../../../client/index.ts";
import { formatBytes, pluralize, formatNumber, formatPercent, UNKNOWN } from "../../data/format.ts";
import { CPU, DISK, MEMORY } from "./live-samples.ts";
import type { Monitor } from "./monitor.ts";

export type Tone = "cpu" | "memory" | "disk";

interface Meter {
  readonly title: string;
  readonly column: number;
  readonly percent: (host: HostMetrics) => number | null | undefined;
  readonly facts: (host: HostMetrics) => string;
  readonly Foot: ComponentType<{ monitor: Monitor }>;
}

export const meters: Readonly<Record<Tone, Meter>> = {
  cpu: {
    title: "CPU",
    column: CPU,
    percent: ({ cpu }) => cpu.usagePercent,
    facts({ cpu: { loadAvg } }) {
      const load = [loadAvg.one, loadAvg.five, loadAvg.fifteen].map((value) =>
        formatNumber(value, (value ?? 0) < 10 ? 2 : 0),
      );
      return `load ${load.join(" ")}`;
    },
    Foot: Cores,
  },
  memory: {
    title: "Memory",
    column: MEMORY,
    percent: ({ memory }) => memory.usedPercent,
    facts: ({ memory }) => `${formatBytes(memory.usedBytes)} of ${formatBytes(memory.totalBytes)}`,
    Foot: MemoryShares,
  },
  disk: {
    title: "Disk",
    column: DISK,
    percent: ({ disk: [first] }) => (first && "usedPercent" in first ? first.usedPercent : null),
    facts({ disk: [first] }) {
      if (first === undefined || !("totalBytes" in first)) return UNKNOWN;
      return `${formatBytes(first.availableBytes)} free of ${formatBytes(first.totalBytes)}`;
    },
    Foot: Disks,
  },
};

export const tones = Object.keys(meters) as Tone[];

function MemoryShares({ monitor }: { monitor: Monitor }): JSX.Element | null {
  const memory = monitor.feed.displayed.value?.host.memory;
  if (memory === undefined || memory.processRssSumBytes === null) return null;
  return (
    <p class="host-foot">
      <span>
        PM2 <strong>{formatBytes(memory.processRssSumBytes)}</strong>
      </span>
      <span>
        Others <strong>{formatBytes(memory.otherBytes)}</strong>
      </span>
    </p>
  );
}

function Disks({ monitor }: { monitor: Monitor }): JSX.Element {
  const disk = monitor.feed.displayed.value?.host.disk ?? [];
  return (
    <p class="host-foot">
      {disk.map((entry) => (
        <span key={entry.path}>
          <code>{entry.path}</code>{" "}
          {"error" in entry ? (
            <span class="bad">
              {entry.error} ({entry.code})
            </span>
          ) : (
            <strong>{formatPercent(entry.usedPercent, 0)}</strong>
          )}
        </span>
      ))}
    </p>
  );
}

function Cores({ monitor }: { monitor: Monitor }): JSX.Element | null {
  const { showsCores, feed } = monitor;
  const perCore = feed.displayed.value?.host.cpu.perCore ?? [];
  if (perCore.length === 0) return null;
  return (
    <div class="cores">
      <button
        type="button"
        class="cores-button"
        aria-pressed={showsCores.value}
        onClick={() => void (showsCores.value = !showsCores.value)}
      >
        {pluralize(perCore.length, "core")}
      </button>
      <ul aria-label="Use of each core">
        {perCore.map((value, at) => (
          // oxlint-disable-next-line react/no-array-index-key -- a core is its place
          <li key={at} title={`Core ${at + 1}: ${formatPercent(value, 0)}`}>
            <span class="hidden">
              Core {at + 1} {formatPercent(value, 0)}
            </span>
            <i style={{ height: `${value ?? 0}%` }} />
          </li>
        ))}
      </ul>
    </div>
  );
}
