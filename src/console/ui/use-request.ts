import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { LatestRequest, type RequestResult } from "../data/latest-request.ts";

export interface RequestState<Answer> extends RequestResult<Answer> {
  /** The previous answer, while there is a problem. */
  readonly last?: Answer | undefined;
  readonly retry: () => void;
}

/** Repeats the request when a dependency changes; the last answer stays until then. */
export function useRequest<Answer>(
  request: ((signal: AbortSignal) => Promise<Answer>) | undefined,
  dependencies: readonly unknown[],
): RequestState<Answer> {
  const question = useMemo(() => new LatestRequest(), []);
  const answered = useSignal<Omit<RequestState<Answer>, "retry">>({});
  const attempt = useSignal(0);
  useEffect(() => {
    if (request === undefined) answered.value = {};
    else
      void question.send(request).then((next) => {
        if (next === undefined) return;
        const { answer, last = answer } = answered.peek();
        answered.value = next.problem ? { ...next, last } : next;
      });
    return () => question.abort();
  }, [attempt.value, ...dependencies]);
  return { ...answered.value, retry: () => void (attempt.value += 1) };
}
