import { useEffect, useMemo, useState } from "preact/hooks";
import { Question, type Answered } from "../data/latest-request.ts";

export interface Asking<Answer> extends Answered<Answer> {
  /** The previous answer, while there is a problem. */
  readonly last?: Answer | undefined;
  readonly retry: () => void;
}

/** Repeats the request when a dependency changes; the last answer stays until then. */
export function useAnswer<Answer>(
  request: ((signal: AbortSignal) => Promise<Answer>) | undefined,
  dependencies: readonly unknown[],
): Asking<Answer> {
  const question = useMemo(() => new Question(), []);
  const [answered, setAnswered] = useState<Omit<Asking<Answer>, "retry">>({});
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (request === undefined) setAnswered({});
    else
      void question.ask(request).then((next) => {
        if (next) setAnswered(({ answer, last = answer }) => (next.problem ? { ...next, last } : next));
      });
    return () => question.abort();
  }, [attempt, ...dependencies]);
  return { ...answered, retry: () => setAttempt((before) => before + 1) };
}
