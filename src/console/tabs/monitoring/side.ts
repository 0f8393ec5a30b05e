import { signal } from "@preact/signals";
import type { ProcessMetrics } from "../../../client/index.ts";
import type { Router } from "../../state/router.ts";
import { keyOf } from "./rows.ts";

/** The process whose details are beside the list. It is part of the address, so Back closes it. */
export function createSide(router: Pick<Router, "remember">) {
  /** A key or the name of an app; empty for none. */
  const shown = signal("");
  let opener: Element | null = null;
  return {
    shown,
    show: (key: string): void => {
      if (shown.peek() === "") {
        opener = document.activeElement;
        router.remember();
      }
      shown.value = key;
      requestAnimationFrame(() => {
        document.querySelector<HTMLElement>("#process")?.focus();
        document.querySelector(rowOf(key))?.scrollIntoView({ block: "nearest" });
      });
    },
    /** The focus returns to where the user opened it, or to the row of the process. */
    close: (): void => {
      const row = rowOf(shown.peek());
      shown.value = "";
      requestAnimationFrame(() => {
        const isThere = opener?.isConnected && opener !== document.body;
        const target = isThere ? opener : (document.querySelector(row) ?? document.querySelector("#panel"));
        (target as HTMLElement | null)?.focus();
      });
    },
  };
}

function rowOf(key: string): string {
  return `[data-row="${CSS.escape(key)}"]`;
}

/** By its key; PM2 gives an app that was deleted and started again another number, so then by its name. */
export function findShown(shown: string, processes: readonly ProcessMetrics[]): ProcessMetrics | undefined {
  const exact = processes.find((one) => keyOf(one) === shown);
  if (exact !== undefined) return exact;
  const wanted = shown.replace(/^\d+ /, "");
  const namesakes = processes.filter(({ name }) => name === shown || name === wanted);
  return namesakes.find(({ problem }) => problem !== null) ?? namesakes[0];
}
