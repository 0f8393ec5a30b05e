import { useEffect, useMemo, useState } from "preact/hooks";
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
  const [answered, setAnswered] = useState<Omit<RequestState<Answer>, "retry">>({});
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (request === undefined) setAnswered({});
    else
      void question.send(request).then((next) => {
        if (next) setAnswered(({ answer, last = answer }) => (next.problem ? { ...next, last } : next));
      });
    return () => question.abort();
  }, [attempt, ...dependencies]);
  return { ...answered, retry: () => setAttempt((before) => before + 1) };
}
