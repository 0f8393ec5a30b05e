import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useConsole } from "../../console.ts";
import type { AuditRecord } from "../../data/api.ts";
import { formatTime, UNKNOWN } from "../../data/format.ts";
import { problemOf, type Problem } from "../../data/request-error.ts";
import { Button } from "../../ui/Button.tsx";
import { CodeLine } from "../../ui/CodeLine.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { FilterField } from "../../ui/FilterField.tsx";
import { ProblemText } from "../../ui/Problem.tsx";
import { Select } from "../../ui/Select.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { TabHead } from "../../ui/TabHead.tsx";

const LIMITS = ["50", "200", "1000"] as const;

/** The newest records; those of before stay while there are no others. */
function useRecords(limit: string) {
  const { api } = useConsole();
  const records = useSignal<readonly AuditRecord[] | undefined>(undefined);
  const problem = useSignal<Problem | undefined>(undefined);
  const load = async (signal?: AbortSignal): Promise<void> => {
    try {
      records.value = (await api.audit(Number(limit), signal)).records;
      problem.value = undefined;
    } catch (error) {
      if (!signal?.aborted) problem.value = problemOf(error);
    }
  };
  useEffect(() => {
    const leaving = new AbortController();
    void load(leaving.signal);
    return () => leaving.abort();
  }, [limit]);
  return { records, problem, load };
}

/** Who changed what, and when: newest first. Values are not recorded. */
export function Audit(): JSX.Element {
  const limit = useSignal<string>(LIMITS[0]);
  const filter = useSignal("");
  const { records, problem, load } = useRecords(limit.value);
  const shown = records.value?.filter((record) => isWanted(record, filter.value));
  return (
    <>
      <TabHead
        title="Audit"
        about="Every change by the command line, HTTP and the console. Names of keys, never values."
      >
        <Select
          label="Records"
          value={limit.value}
          options={LIMITS.map((value) => ({ value, label: `newest ${value}` }))}
          onChange={(value) => void (limit.value = value)}
        />
        <FilterField
          label="Filter the records"
          placeholder="Filter"
          value={filter.value}
          onInput={(text) => void (filter.value = text)}
        />
        <Button icon="refresh" onClick={() => void load()}>
          Refresh
        </Button>
      </TabHead>
      <StatusRegion>
        {problem.value && (
          <StatusLine tone="error">
            <ProblemText problem={problem.value} />
          </StatusLine>
        )}
      </StatusRegion>
      {shown && <Records records={shown} isFiltered={shown.length !== records.value?.length} />}
    </>
  );
}

function Records({ records, isFiltered }: { records: readonly AuditRecord[]; isFiltered: boolean }): JSX.Element {
  if (records.length === 0 && isFiltered) return <EmptyState icon="search" title="No record matches" />;
  if (records.length === 0) {
    return (
      <EmptyState icon="history" title="Nothing has been changed yet">
        <p>Saving an env file, or starting, stopping and restarting a process leaves a record here.</p>
        <CodeLine text="svcm audit --limit 50" what="the command" />
      </EmptyState>
    );
  }
  return (
    <section class="card flush" aria-label="Records">
      <table class="rows audit-rows">
        <thead>
          <tr>
            {["When", "Action", "Of", "What", "Who", "Outcome"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <Record key={record.id} record={record} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const tones = { succeeded: "good", failed: "error", refused: "warning", started: "warning" } as const;

function Record({ record }: { record: AuditRecord }): JSX.Element {
  const { timestamp, action, environment, keys = [], processes = [], target, source, actor, outcome, code } = record;
  return (
    <tr>
      <td class="when">
        <time dateTime={timestamp}>{formatTime(timestamp)}</time>
      </td>
      <th scope="row">{action}</th>
      <td data-name="Of">{environment || UNKNOWN}</td>
      <td data-name="What" class="what">
        {target !== undefined && <span>{target}</span>}
        {processes.map(({ name, pmId }) => (
          <span key={`${name} ${pmId}`}>{pmId === null ? name : `${name} (id ${pmId})`}</span>
        ))}
        {keys.map((key) => (
          <code key={key}>{key}</code>
        ))}
        {target === undefined && keys.length + processes.length === 0 && UNKNOWN}
      </td>
      <td data-name="Who" class="who">
        {actor === undefined ? "" : `${actor}, `}
        {source}
      </td>
      <td>
        <span class={`badge ${tones[outcome]}`}>{outcome}</span>
        {code !== undefined && (
          <>
            {" "}
            <code class="issue-code">{code}</code>
          </>
        )}
      </td>
    </tr>
  );
}

function isWanted(record: AuditRecord, text: string): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const { processes = [], ...rest } = record;
  const named = processes.map(({ name, pmId }) => `${name} (id ${pmId})`);
  const all = [...Object.values(rest).flat(), ...named].join(" ").toLowerCase();
  return words.every((word) => all.includes(word));
}
