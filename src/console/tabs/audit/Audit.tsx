import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useConsole } from "../../console.ts";
import type { AuditRecord } from "../../data/api.ts";
import { UNKNOWN } from "../../data/format.ts";
import { problemOf, type Problem } from "../../data/request-error.ts";
import { Button } from "../../ui/Button.tsx";
import { CodeLine } from "../../ui/CodeLine.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { FilterField } from "../../ui/FilterField.tsx";
import { ProblemText } from "../../ui/Problem.tsx";
import { Select } from "../../ui/Select.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { TabHead } from "../../ui/TabHead.tsx";
import { isWanted, wordsOf, type RecordWords } from "./record-words.ts";

const LIMITS = ["50", "200", "1000"] as const;

/** The newest records. The last ones stay until others are read. */
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

/** The audit log, newest record first. Values are not recorded. */
export function Audit(): JSX.Element {
  const limit = useSignal<string>(LIMITS[0]);
  const filter = useSignal("");
  const { records, problem, load } = useRecords(limit.value);
  const shown = records.value?.filter((record) => isWanted(wordsOf(record), filter.value));
  return (
    <>
      <TabHead
        title="Audit"
        about={`Changes by the command line, HTTP and the console: names of keys, never values. Times are in ${timeZone()}.`}
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
          <StatusLine tone="error" action={<Button onClick={() => void load()}>Try again</Button>}>
            <ProblemText problem={problem.value} />
          </StatusLine>
        )}
      </StatusRegion>
      {shown && <Records records={shown} isFiltered={shown.length !== records.value?.length} />}
    </>
  );
}

function timeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function Records({ records, isFiltered }: { records: readonly AuditRecord[]; isFiltered: boolean }): JSX.Element {
  if (records.length === 0 && isFiltered) return <EmptyState icon="search" title="No record matches" />;
  if (records.length === 0) {
    return (
      <EmptyState icon="history" title="svcm has changed nothing yet">
        <p>Saving an env file, or starting, stopping or restarting a process through svcm leaves a record here.</p>
        <CodeLine text="svcm audit --limit 50" what="the command" />
      </EmptyState>
    );
  }
  return (
    <section class="card flush" aria-label="Records">
      <table class="rows audit-rows" aria-label="Audit records">
        <thead>
          <tr>
            {["When", "Action", "Environment", "Keys or process", "By", "Outcome"].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <Row key={record.id} words={wordsOf(record)} timestamp={record.timestamp} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

const tones = { succeeded: "good", failed: "error", refused: "warning", started: "warning" } as const;

function Row({ words, timestamp }: { words: RecordWords; timestamp: string }): JSX.Element {
  const { when, action, environment, subjects, keys, by, outcome, code, times } = words;
  return (
    <tr>
      <td class="when">
        <time dateTime={timestamp}>{when}</time>
      </td>
      <th scope="row">{action}</th>
      <td data-name="Environment">{environment || UNKNOWN}</td>
      <td data-name="Keys or process" class="what">
        {subjects.map((subject) => (
          <bdi key={subject}>{subject}</bdi>
        ))}
        {keys.map((key) => (
          <code key={key}>{key}</code>
        ))}
        {subjects.length + keys.length === 0 && UNKNOWN}
      </td>
      <td data-name="By" class="who">
        {by}
      </td>
      <td>
        <span class={`badge ${tones[outcome]}`}>{outcome}</span>
        {code !== "" && (
          <>
            {" "}
            <code class="issue-code">{code}</code>
          </>
        )}
        {times !== "" && <small> {times}</small>}
      </td>
    </tr>
  );
}
