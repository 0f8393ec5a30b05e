import type { JSX } from "preact";
import type { HostMetrics } from "../../../client/index.ts";
import { formatBytes, formatCount, formatNumber, formatPercent, UNKNOWN } from "../../data/format.ts";
import type { Monitor } from "./monitor.ts";

export function CpuFacts({ cpu: { coreCount, loadAvg } }: { cpu: HostMetrics["cpu"] }): JSX.Element {
  const { one, five, fifteen } = loadAvg;
  const load = [one, five, fifteen].map((value) => formatNumber(value, 2)).join(" ");
  return (
    <span class="host-facts">
      {formatCount(coreCount, "core")} · load {load}
    </span>
  );
}

export function MemoryFacts({ memory: { usedBytes, totalBytes } }: { memory: HostMetrics["memory"] }): JSX.Element {
  return (
    <span class="host-facts">
      {formatBytes(usedBytes)} of {formatBytes(totalBytes)}
    </span>
  );
}

export function DiskFacts({ disk }: { disk: HostMetrics["disk"] }): JSX.Element {
  const [first] = disk;
  return (
    <span class="host-facts">
      {first && "totalBytes" in first
        ? `${formatBytes(first.availableBytes)} free of ${formatBytes(first.totalBytes)}`
        : UNKNOWN}
    </span>
  );
}

/** Who has the memory. */
export function MemoryShares({ monitor }: { monitor: Monitor }): JSX.Element | null {
  const memory = monitor.feed.shown.value?.host.memory;
  if (memory === undefined || memory.processRssSumBytes === null) return null;
  return (
    <p class="host-foot">
      <span>
        PM2 processes <strong>{formatBytes(memory.processRssSumBytes)}</strong>
      </span>
      <span>
        Others <strong>{formatBytes(memory.otherBytes)}</strong>
      </span>
    </p>
  );
}

/** Every disk by its path; one that could not be measured says why. */
export function Disks({ monitor }: { monitor: Monitor }): JSX.Element {
  const disk = monitor.feed.shown.value?.host.disk ?? [];
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

/** One bar a core, and whether the chart has a line for each. */
export function Cores({ monitor }: { monitor: Monitor }): JSX.Element | null {
  const { showsCores, feed } = monitor;
  const perCore = feed.shown.value?.host.cpu.perCore ?? [];
  if (perCore.length === 0) return null;
  return (
    <div class="cores">
      <button
        type="button"
        class="cores-button"
        aria-pressed={showsCores.value}
        onClick={() => void (showsCores.value = !showsCores.value)}
      >
        Cores
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
