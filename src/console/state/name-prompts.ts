import { signal } from "@preact/signals";

/** The user types a name to answer, because a click is too easily wrong. */
export interface NamePrompt {
  readonly title: string;
  readonly about: string;
  readonly name: string;
  readonly verb: string;
}

export interface OpenNamePrompt extends NamePrompt {
  readonly id: number;
  /** Further calls have no effect. */
  readonly answer: (yes: boolean) => void;
}

export type NamePrompts = ReturnType<typeof createNamePrompts>;

export function createNamePrompts() {
  const open = signal<OpenNamePrompt | undefined>();
  let ids = 0;
  return {
    open,
    /** @returns whether the user typed the name */
    ask(question: NamePrompt): Promise<boolean> {
      open.value?.answer(false);
      return new Promise((resolve) => {
        const prompt: OpenNamePrompt = {
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
