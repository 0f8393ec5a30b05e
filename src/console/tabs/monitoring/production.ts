import { computed } from "@preact/signals";
import { isProductionName } from "../../../core/words/production.ts";
import type { Console } from "../../console.ts";

interface Production extends Pick<Console, "facts" | "questions"> {
  readonly environments: () => readonly string[];
  /** Empty for the machine of the server. */
  readonly node: string;
}

export function createProduction({ facts, questions, environments, node }: Production) {
  const production = computed(() => environments().find(isProductionName));
  return {
    isProduction: computed(() => production.value !== undefined),
    /**
     * In production, the user types the name of the app, or the environment for several apps or another machine.
     *
     * @param question for other environments; by default nothing is asked there
     */
    mayEnd: async (verb: string, apps: readonly string[], question?: string): Promise<boolean> => {
      const { value: place } = production;
      if (place === undefined) return question === undefined || (await questions.ask({ title: question, verb }));
      const [app = "", ...others] = apps;
      const [name, of] = others.length === 0 && node === "" ? [app, "app"] : [place, "environment"];
      return await questions.ask({
        title: `${verb} ${apps.join(", ")} in production?`,
        about: `${facts.host} serves ${place}. Type the name of the ${of} to go on.`,
        name,
        verb,
      });
    },
  };
}
