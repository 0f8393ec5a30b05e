import type { Console } from "../../console.ts";
import type { Problem } from "../../data/request-error.ts";

export interface Selection {
  /** Canonical; empty without a valid selection. */
  readonly name: string;
  readonly refusal?: Problem;
}

export function selectionOf({ facts, store }: Console): Selection {
  const { runtimeEnvironment: stored } = store.document.value;
  if (stored === undefined) {
    const { envFile } = facts.defaults;
    return "refusal" in envFile ? { name: "", refusal: envFile.refusal } : { name: envFile.name };
  }
  return { name: (typeof stored === "string" && canonicalName(facts, stored)) || "" };
}

export function canonicalName({ contract }: Console["facts"], spelling: string): string | undefined {
  const folded = spelling.trim().toLowerCase();
  return Object.entries(contract.environments).find(
    ([name, { aliases = [] }]) => name === folded || aliases.includes(folded),
  )?.[0];
}
