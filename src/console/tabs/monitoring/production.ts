import { computed } from "@preact/signals";
import type { Console } from "../../console.ts";

interface Production extends Pick<Console, "facts" | "questions"> {
  /** The environment that the processes are compared with, and that of the server. */
  readonly environments: () => readonly string[];
}

export const isProduction = (environment: string): boolean => /^prod/i.test(environment);

export function createProduction({ facts, questions, environments }: Production) {
  return {
    isProduction: computed(() => environments().some(isProduction)),
    /** @returns whether the user typed the name of the app */
    confirmByName: (verb: string, name: string): Promise<boolean> =>
      questions.ask({
        title: `${verb} ${name} in production?`,
        about: `${facts.host} serves ${environments()[0]}. Type the name of the app to go on.`,
        name,
        verb,
      }),
  };
}
