import { signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { toProblem, type Problem } from "../data/request-error.ts";
import { tabs } from "./index.ts";
import type { TabCode } from "./tab-code.ts";
import { tabIds, type TabId } from "../state/address.ts";

export type TabCodes = ReturnType<typeof createTabCodes>;

/** The code of the tabs, of which all but the first are loaded when a user opens them, or when the page has time. */
export function createTabCodes() {
  const loaded = signal<ReadonlyMap<TabId, TabCode>>(new Map());
  const problem = signal<Problem | undefined>();
  const pending = new Set<TabId>();
  const load = async (id: TabId): Promise<void> => {
    const { load: code } = tabs[id];
    if (typeof code !== "function" || loaded.peek().has(id) || pending.has(id)) return;
    pending.add(id);
    try {
      const found = (await code())[id];
      problem.value = undefined;
      if (found) loaded.value = new Map([...loaded.peek(), [id, found]]);
    } catch (error) {
      problem.value = toProblem(error);
    } finally {
      pending.delete(id);
    }
  };
  return {
    problem,
    load,
    /** `undefined` until it is loaded. */
    of: (id: TabId): TabCode | undefined => {
      const { load: code } = tabs[id];
      return typeof code === "function" ? loaded.value.get(id) : code;
    },
    async loadAll(): Promise<void> {
      for (const id of tabIds) await load(id);
    },
  };
}

export const CodesContext = createContext<TabCodes | undefined>(undefined);

export function useCodes(): TabCodes {
  const codes = useContext(CodesContext);
  if (codes === undefined) throw new Error("The component is outside of the page.");
  return codes;
}
