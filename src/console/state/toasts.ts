import { signal } from "@preact/signals";
import { toProblem, type Problem } from "../data/request-error.ts";

const INFO_MS = 5_000;

export interface Toast {
  readonly id: number;
  /** Toasts with the same key become one toast with a count. */
  readonly key: string;
  readonly tone: "info" | "success" | "error";
  readonly problem: Problem;
  readonly count: number;
  readonly subjects: readonly Subject[];
}

export interface Subject {
  readonly topic: string;
  readonly text: string;
}

export type Toasts = ReturnType<typeof createToasts>;

/** Messages that block nothing. Information disappears by itself, errors stay. @see the specification, "Errors" 2 */
export function createToasts(schedule: (run: () => void, ms: number) => void) {
  const list = signal<readonly Toast[]>([]);
  let ids = 0;
  const dismiss = (id: number): void => {
    list.value = list.value.filter((toast) => toast.id !== id);
  };
  const resolve = (topic: string): void => {
    if (list.value.some((toast) => isAbout(toast, topic)))
      list.value = list.value.flatMap((toast) => removeTopic(toast, topic));
  };
  const add = (tone: Toast["tone"], problem: Problem, topic?: string, subject?: Subject): void => {
    const key = topic ?? `${tone} ${JSON.stringify(problem)}`;
    const same = list.value.find((toast) => toast.key === key);
    const others = same?.subjects.filter((other) => other.topic !== subject?.topic) ?? [];
    const subjects = subject === undefined ? others : [...others, subject];
    const toast = { id: ++ids, key, tone, problem, count: (same?.count ?? 0) + 1, subjects };
    list.value = [...list.value.filter((other) => other !== same), toast];
    if (tone !== "error") schedule(() => dismiss(toast.id), INFO_MS);
  };
  return {
    list,
    resolve,
    dismiss,
    info: (text: string): void => add("info", { error: text }),
    success: (text: string): void => add("success", { error: text }),
    /** @param topic an error replaces an earlier one with the same topic, and is removed by {@link resolve} */
    error: (error: unknown, topic?: string): void =>
      add("error", typeof error === "string" ? { error } : toProblem(error), topic),
    failed(error: unknown, subject: Subject): void {
      const problem = toProblem(error);
      const key = `failed ${JSON.stringify(problem)}`;
      const isSame = list.value.some((toast) => toast.key === key && isAbout(toast, subject.topic));
      if (!isSame) resolve(subject.topic);
      add("error", problem, key, subject);
    },
    dismissAll: (): void => void (list.value = []),
  };
}

function isAbout({ key, subjects }: Toast, topic: string): boolean {
  return key === topic || subjects.some((subject) => subject.topic === topic);
}

function removeTopic(toast: Toast, topic: string): Toast[] {
  if (!isAbout(toast, topic)) return [toast];
  const subjects = toast.subjects.filter((subject) => subject.topic !== topic);
  return subjects.length === 0 ? [] : [{ ...toast, subjects, count: subjects.length }];
}
