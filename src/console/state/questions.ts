import { signal } from "@preact/signals";

export interface Question {
  readonly title: string;
  readonly about?: string;
  /** The user types this name to answer, because a click is too easily wrong. */
  readonly name?: string;
  readonly verb: string;
}

export interface OpenQuestion extends Question {
  readonly id: number;
  /** Further calls have no effect. */
  readonly answer: (yes: boolean) => void;
}

export type Questions = ReturnType<typeof createQuestions>;

export function createQuestions() {
  const open = signal<OpenQuestion | undefined>();
  let ids = 0;
  return {
    open,
    /** @returns whether the user agreed */
    ask(question: Question): Promise<boolean> {
      open.value?.answer(false);
      return new Promise((resolve) => {
        const prompt: OpenQuestion = {
          ...question,
          id: ++ids,
          answer(yes) {
            // A dialog may report its end after the next question has opened.
            if (open.value === prompt) open.value = undefined;
            resolve(yes);
          },
        };
        open.value = prompt;
      });
    },
  };
}
