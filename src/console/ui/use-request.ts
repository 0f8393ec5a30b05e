import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { LatestRequest, type RequestResult } from "../data/request-error.ts";

export interface RequestState<Answer> extends RequestResult<Answer> {
  /** The previous answer, while there is a problem. */
  readonly last?: Answer | undefined;
  readonly retry: () => void;
}

/**
 * Repeats the request when a dependency changes; the last answer stays until then.
 *
 * @param changes repeat it after the answer to the one under way, which frequent ones would always end
 */
export function useRequest<Answer>(
  request: ((signal: AbortSignal) => Promise<Answer>) | undefined,
  dependencies: readonly unknown[],
  changes: readonly unknown[] = [],
): RequestState<Answer> {
  const question = useMemo(() => new LatestRequest(), []);
  const answered = useSignal<Omit<RequestState<Answer>, "retry">>({});
  const attempt = useSignal(0);
  const state = changes.join();
  const sent = useRef({ state, isUnderWay: false });
  useEffect(() => {
    if (request === undefined) answered.value = {};
    else {
      sent.current = { state, isUnderWay: true };
      void question.send(request).then((next) => {
        if (next === undefined) return;
        sent.current.isUnderWay = false;
        const { answer, last = answer } = answered.peek();
        answered.value = next.problem ? { ...next, last } : next;
      });
    }
    return () => question.abort();
  }, [attempt.value, ...dependencies]);
  useEffect(() => {
    if (!sent.current.isUnderWay && sent.current.state !== state) attempt.value += 1;
  });
  return { ...answered.value, retry: () => void (attempt.value += 1) };
}
