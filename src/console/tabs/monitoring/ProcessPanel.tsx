import type { JSX } from "preact";
import { useLayoutEffect, useMemo } from "preact/hooks";
import { formatBytes, formatDuration, formatPercent, pluralize } from "../../data/format.ts";
import { IconButton } from "../../ui/Button.tsx";
import type { Monitor, ProcessProps } from "./monitor.ts";
import { ProcessDetail } from "./ProcessDetail.tsx";
import { statusLabel, statusOf } from "./process-status.ts";
import { keyOf } from "./rows.ts";
import { findShown } from "./address.ts";

/** One process beside the list, which stays usable; on a narrow screen it covers the list. */
export function ProcessPanel({ monitor }: { monitor: Monitor }): JSX.Element | null {
  const { shown, close } = monitor.side;
  const isOpen = shown.value !== "";
  useLayoutEffect(() => (isOpen ? onEscape(close) : undefined), [isOpen]);
  if (!isOpen) return null;
  const metrics = monitor.feed.displayed.value?.metrics;
  const process = findShown(shown.value, metrics?.processes ?? []);
  const name = process?.name ?? shown.value.replace(/^\d+ /, "");
  return (
    <section id="process" class="process-panel" aria-label={`Process ${name}`} tabIndex={-1}>
      <header>
        <h2>
          <bdi>{name}</bdi>
        </h2>
        {process && <Now process={process} />}
        <IconButton icon="close" label={`Close ${name}`} onClick={close} />
      </header>
      {process ? (
        <ProcessDetail key={keyOf(process)} process={process} monitor={monitor} />
      ) : (
        <p>{metrics ? "PM2 has no process of this name." : "The processes of PM2 are not known now."}</p>
      )}
    </section>
  );
}

/** The values that a list with less room leaves out. */
function Now({ process }: Pick<ProcessProps, "process">): JSX.Element {
  const { restartCount, cpuPercent, memoryBytes, uptimeMs } = process;
  const status = statusOf(process);
  const label = statusLabel(process);
  const words = useMemo(
    () => (
      <span class={`status ${status}`}>
        <i class={`dot ${status}`} aria-hidden="true" />
        {label}
      </span>
    ),
    [status, label],
  );
  return (
    <>
      {words}
      <span>CPU {formatPercent(cpuPercent)}</span>
      <span>{memoryBytes === null ? "memory –" : formatBytes(memoryBytes)}</span>
      {restartCount !== null && <span>{pluralize(restartCount, "restart")}</span>}
      <span>up {formatDuration(uptimeMs)}</span>
    </>
  );
}

/** Escape belongs first to a dialog, a field and a chart. */
function onEscape(close: () => void): () => void {
  const listen = (event: KeyboardEvent): void => {
    const { key, target, defaultPrevented } = event;
    if (key !== "Escape" || defaultPrevented || document.querySelector("dialog[open]")) return;
    if (target instanceof Element && target.closest("input:not([type=radio], [type=checkbox]), .chart")) return;
    close();
  };
  document.body.className = "beside";
  document.addEventListener("keydown", listen);
  return () => {
    document.body.className = "";
    document.removeEventListener("keydown", listen);
  };
}
