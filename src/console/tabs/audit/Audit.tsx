import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useConsole, type Console } from "../../console.ts";
import { textPart } from "../../state/address.ts";
import type { AuditRecord } from "../../data/api.ts";
import { UNKNOWN } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import { CodeLine } from "../../ui/CodeLine.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { FilterField } from "../../ui/FilterField.tsx";
import { Select } from "../../ui/Select.tsx";
import { TabHead } from "../../ui/TabHead.tsx";
import { Unanswered } from "../../ui/Unanswered.tsx";
import { useAnswer } from "../../ui/use-answer.ts";
import { isWanted, wordsOf, type RecordWords } from "./record-words.ts";

const LIMITS = ["50", "200", "1000"] as const;

function listOf(page: Console) {
  return page.kept("audit", () => {
    const list = { limit: signal<string>(LIMITS[0]), filter: signal("") };
    const accepts = (value: string): boolean => LIMITS.some((limit) => limit === value);
    page.router.keep(
      textPart({ name: "limit", tab: "activity" }, list.limit, { fallback: LIMITS[0], accepts }),
      textPart({ name: "find", tab: "activity" }, list.filter),
    );
    return list;
  });
}

/** The audit log, newest record first. Values are not recorded. */
export function Audit(): JSX.Element {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const page = useConsole();
  const { api } = page;
  const { limit, filter } = listOf(page);
  const { answer, problem, last, retry } = useAnswer((aborted) => api.audit(limit.value, aborted), [limit.value]);
  const { records } = answer ?? last ?? {};
  const shown = records?.filter((record) => isWanted(wordsOf(record), filter.value));
  return (
    <>
      <TabHead
        title="Activity"
        about={`Changes by the command line, HTTP and the console: names of keys, never values. Times are in ${timeZone}.`}
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
        <Button icon="refresh" onClick={retry}>
          Refresh
        </Button>
      </TabHead>
      <Unanswered problem={problem} retry={retry} />
      {shown && <Records records={shown} isFiltered={shown.length !== records?.length} />}
    </>
  );
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
