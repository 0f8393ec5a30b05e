import type { JSX } from "preact";
import type { EnvWrite, Metrics } from "../../data/api.ts";
import { useConsole } from "../../console.ts";
import { useAnswer } from "../../ui/use-answer.ts";

/** The processes that still run with the values before the save. Empty if PM2 cannot be read. */
export function StaleProcesses({ written }: { written: EnvWrite }): JSX.Element | null {
  const { api } = useConsole();
  const { answer } = useAnswer((signal) => api.metrics(written.environment, signal), [written]);
  const names = answer ? staleIn(answer, written) : [];
  if (names.length === 0) return null;
  return (
    <p>
      Still running with the old values:{" "}
      {names.map((name, at) => (
        <span key={name}>
          {at > 0 && ", "}
          <bdi>{name}</bdi>
        </span>
      ))}
      . Restart them in <a href="#/monitoring">Monitoring</a>.
    </p>
  );
}

/** The processes that read the file before it was written, or hold another value of a changed key. */
function staleIn({ ecosystem }: Metrics, { fileName, changedKeys }: EnvWrite): string[] {
  const stale = ecosystem.drift.filter(({ field, key, declared, state }) =>
    field === "envFile"
      ? String(declared).split(/[\\/]/).at(-1) === fileName
      : state === "stale" && key !== null && changedKeys.includes(key),
  );
  return [...new Set(stale.map(({ name }) => name))].toSorted();
}
