import type { Console } from "../../console.ts";
import { monitorOf } from "../monitoring/monitor.ts";
import type { Problem } from "../../data/request-error.ts";

export interface Selection {
  /** Canonical; empty without a valid selection. */
  readonly name: string;
  readonly refusal?: Problem;
}

/** Without a stored selection, that of the page. */
export function selectionOf(page: Console): Selection {
  const { facts, store } = page;
  const { runtimeEnvironment: stored } = store.document.value;
  if (stored === undefined) {
    const { envFile } = facts.defaults;
    const shown = canonicalName(facts, monitorOf(page).feed.environment.value);
    if (shown !== undefined) return { name: shown };
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
