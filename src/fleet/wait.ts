import { MAX_WAIT_MS } from "./wire.ts";

export type AskOnce = (input: object, timeoutMs: number) => Promise<unknown>;

/** As on the machine itself. */
const DEFAULT_TIMEOUT_MS = 20_000;
/** A node needs more time than its wait to answer. */
const MARGIN_MS = 5_000;

interface WaitAnswer {
  readonly ok: boolean;
  readonly waitedMs: number;
}

/** A node waits for some seconds only, so that no user holds its places; this asks again until the time is over. */
export async function waitRemotely(
  askOnce: AskOnce,
  input: { readonly timeoutMs?: number | undefined },
  deadlineMs: number,
): Promise<WaitAnswer> {
  const startedMs = performance.now();
  const elapsed = (): number => performance.now() - startedMs;
  const wantedMs = input.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  for (;;) {
    const timeoutMs = Math.max(0, Math.min(MAX_WAIT_MS, Math.round(wantedMs - elapsed())));
    const patienceMs = Math.max(1, Math.min(timeoutMs + MARGIN_MS, deadlineMs - elapsed()));
    const answer = (await askOnce({ ...input, timeoutMs }, patienceMs)) as WaitAnswer;
    // An answer before the time means that more waiting changes nothing.
    const isOver = answer.ok || answer.waitedMs < timeoutMs || elapsed() >= wantedMs;
    if (isOver) return { ...answer, waitedMs: Math.round(elapsed()) };
  }
}
