import { signal } from "@preact/signals";

/** A question that the user answers by typing a name, because a click would be too easy to get wrong. */
export interface Question {
  readonly title: string;
  readonly about: string;
  readonly name: string;
  /** On the button, for example `Stop`. */
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
    /** @returns whether the user typed the name */
    ask(question: Question): Promise<boolean> {
      open.value?.answer(false);
      return new Promise((resolve) => {
        const asked: OpenQuestion = {
          ...question,
          id: ++ids,
          answer(yes) {
            // A dialog reports late that it was closed, when another question may already be open.
            if (open.value === asked) open.value = undefined;
            resolve(yes);
          },
        };
        open.value = asked;
      });
    },
  };
}
