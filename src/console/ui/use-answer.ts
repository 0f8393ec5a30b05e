import { useEffect, useState } from "preact/hooks";
import { problemOf, type Problem } from "../data/request-error.ts";

export interface Answered<Answer> {
  readonly answer?: Answer;
  readonly problem?: Problem;
}

export interface Asking<Answer> extends Answered<Answer> {
  readonly retry: () => void;
}

/** What a request answers, asked again when what it depends on changes. The last answer stays until then. */
export function useAnswer<Answer>(
  ask: ((signal: AbortSignal) => Promise<Answer>) | undefined,
  dependsOn: readonly unknown[],
): Asking<Answer> {
  const [answered, setAnswered] = useState<Answered<Answer>>({});
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const { signal, abort } = abortable();
    ask?.(signal).then(
      (answer) => !signal.aborted && setAnswered({ answer }),
      (error: unknown) => !signal.aborted && setAnswered({ problem: problemOf(error) }),
    );
    if (!ask) setAnswered({});
    return abort;
  }, [attempt, ...dependsOn]);
  return { ...answered, retry: () => setAttempt(attempt + 1) };
}

function abortable(): { signal: AbortSignal; abort: () => void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
