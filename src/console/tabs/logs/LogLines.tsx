import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { LogLine } from "../../../client/index.ts";
import { formatFields } from "../../../core/logs/fields-text.ts";
import { useConsole } from "../../console.ts";
import { formatTime } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import type { LogFeed } from "./log-feed.ts";
import { usePrinted } from "../../ui/use-printed.ts";
import { foldStacks, isError, keyOf, splitHits, type LogRow, logsOf } from "./log-rows.ts";

const ROW_PX = 20;
/** Rows drawn beyond the visible part. */
const MARGIN = 10;
/** Wrapped rows have no common height, so the browser decides which ones it draws. */
const MAX_WRAPPED = 1000;

/** The rows near the visible part, or the newest ones if they are wrapped. */
export function LogLines({ label, log }: { label: string; log: LogFeed }): JSX.Element {
  const isPrinted = usePrinted();
  const isWrapped = logsOf(useConsole()).isWrapped.value || isPrinted;
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const lines = log.lines.value;
  const fresh = log.fresh.value;
  const { rows, toggle } = useStacks(lines);
  const toEnd = (): void => box.current?.scrollTo({ top: box.current.scrollHeight });
  const follow = (): void => {
    log.hold(false);
    toEnd();
  };
  useLayoutEffect(() => {
    if (fresh === 0) toEnd();
  }, [lines, fresh, isWrapped]);
  const first = isWrapped
    ? Math.max(0, rows.length - MAX_WRAPPED)
    : Math.max(0, Math.floor(top.value / ROW_PX) - MARGIN);
  const count = isWrapped ? MAX_WRAPPED : Math.ceil((box.current?.clientHeight ?? 400) / ROW_PX) + 2 * MARGIN;
  const place = isWrapped ? {} : { height: `${rows.length * ROW_PX}px`, paddingTop: `${first * ROW_PX}px` };
  return (
    <div class="log-frame">
      <div
        ref={box}
        class={`log-lines${isWrapped ? " wrapped" : ""}`}
        role="log"
        aria-live="off"
        aria-label={label}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          top.value = scrollTop;
          log.hold(scrollTop + clientHeight < scrollHeight - ROW_PX);
        }}
      >
        <div style={place}>
          {rows.slice(first, first + count).map((row) => (
            <Line key={keyOf(row.line)} row={row} onStack={toggle} />
          ))}
        </div>
      </div>
      {fresh > 0 && <Button onClick={follow}>{fresh} new</Button>}
    </div>
  );
}

export function useStacks(lines: readonly LogLine[]) {
  const open = useSignal<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => foldStacks(lines, open.value), [lines, open.value]);
  const toggle = (key: string): void => {
    const next = new Set(open.value);
    if (!next.delete(key)) next.add(key);
    open.value = next;
  };
  return { rows, toggle };
}

interface LineProps {
  readonly row: LogRow;
  readonly onStack: (key: string) => void;
}

/** Its time is its link. */
export function Line({ row: { line, stack }, onStack }: LineProps): JSX.Element {
  const page = useConsole();
  const { apps, search } = logsOf(page);
  const { at, app, pmId, level, text, fields } = line;
  const shown = `${text}${formatFields(fields)}`;
  const names = [["apps", apps.value.join(",")] as const];
  return (
    <div class={`log-line${isError(line) ? " error" : ` ${level ?? ""}`}`} title={shown.slice(0, 4000)}>
      {at !== null && (
        <a href={page.router.href("logs", ...names, ["at", at])} title={`${at}: the lines around it`}>
          <time>{formatTime(at).slice(11)}</time>
        </a>
      )}{" "}
      {apps.value.length !== 1 && (
        <i>
          {app}
          {pmId !== null && ` ${pmId}`}{" "}
        </i>
      )}
      {apps.value.length === 1 && pmId !== null && <i>{pmId} </i>}
      <b>{level ?? (isError(line) ? "err" : "")}</b>{" "}
      {splitHits(shown.slice(0, 1000), search.value).map((part, place) =>
        // oxlint-disable-next-line react/no-array-index-key -- the parts of one text keep their places
        place % 2 === 1 ? <mark key={place}>{part}</mark> : part,
      )}
      {stack > 0 && (
        <button type="button" class="log-stack" onClick={() => onStack(keyOf(line))}>
          +{stack} <span class="hidden">lines of its stack</span>
        </button>
      )}
    </div>
  );
}
