import { signal, type ReadonlySignal } from "@preact/signals";
import { problemOf, type Problem } from "../data/request-error.ts";

const INFO_MS = 5_000;

export interface Toast {
  readonly id: number;
  /** Equal ones are one toast with a count. */
  readonly key: string;
  readonly tone: "info" | "success" | "error";
  readonly problem: Problem;
  readonly count: number;
  /** What failed for this reason; empty where the problem says it all. */
  readonly subjects: readonly Subject[];
}

/** Something that was tried, such as the restart of a process. */
export interface Subject {
  /** Its failures take each other's place. */
  readonly topic: string;
  /** For people, for example `restart of auth`. */
  readonly text: string;
}

/** Messages that block nothing. Information hides by itself, errors stay. @see the specification, "Errors" 2 */
export interface Toasts {
  readonly list: ReadonlySignal<readonly Toast[]>;
  info(text: string): void;
  success(text: string): void;
  /** @param topic errors of a topic take each other's place, and go with {@link resolve} */
  error(error: unknown, topic?: string): void;
  /** Something was tried and failed. Failures for the same reason are one toast that names each of them. */
  failed(error: unknown, subject: Subject): void;
  /** The errors of a topic are over. */
  resolve(topic: string): void;
  dismiss(id: number): void;
  dismissAll(): void;
}

export function createToasts(later: (run: () => void, ms: number) => void): Toasts {
  const list = signal<readonly Toast[]>([]);
  let ids = 0;
  const dismiss = (id: number): void => {
    list.value = list.value.filter((toast) => toast.id !== id);
  };
  const resolve = (topic: string): void => {
    if (list.value.some((toast) => isAbout(toast, topic)))
      list.value = list.value.flatMap((toast) => without(toast, topic));
  };
  const add = (tone: Toast["tone"], problem: Problem, topic?: string, subject?: Subject): void => {
    const key = topic ?? `${tone} ${JSON.stringify(problem)}`;
    const same = list.value.find((toast) => toast.key === key);
    const others = same?.subjects.filter((other) => other.topic !== subject?.topic) ?? [];
    const subjects = subject === undefined ? others : [...others, subject];
    const toast = { id: ++ids, key, tone, problem, count: (same?.count ?? 0) + 1, subjects };
    list.value = [...list.value.filter((other) => other !== same), toast];
    if (tone !== "error") later(() => dismiss(toast.id), INFO_MS);
  };
  return {
    list,
    info: (text) => add("info", { error: text }),
    success: (text) => add("success", { error: text }),
    error: (error, topic) => add("error", typeof error === "string" ? { error } : problemOf(error), topic),
    failed(error, subject) {
      const problem = problemOf(error);
      const key = `failed ${JSON.stringify(problem)}`;
      // Another reason than the last time.
      if (!list.value.some((toast) => toast.key === key && isAbout(toast, subject.topic))) resolve(subject.topic);
      add("error", problem, key, subject);
    },
    resolve,
    dismiss,
    dismissAll: () => void (list.value = []),
  };
}

function isAbout({ key, subjects }: Toast, topic: string): boolean {
  return key === topic || subjects.some((subject) => subject.topic === topic);
}

/** What is left of a toast when a topic is over. */
function without(toast: Toast, topic: string): Toast[] {
  if (!isAbout(toast, topic)) return [toast];
  const subjects = toast.subjects.filter((subject) => subject.topic !== topic);
  return subjects.length === 0 ? [] : [{ ...toast, subjects, count: subjects.length }];
}
