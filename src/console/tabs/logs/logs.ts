import { computed, signal } from "@preact/signals";
import { logLevels } from "../../../core/api/names.ts";
import type { Console } from "../../console.ts";
import { textPart } from "../../state/address.ts";
import { monitorOf } from "../monitoring/monitor.ts";

const tab = "logs";

/** The choice of the view. Everything but the wrap is in the address. */
export function logsOf(page: Console) {
  return page.getOrCreate(tab, () => {
    const names = signal("");
    const state = {
      apps: computed(() => names.value.split(",").filter(Boolean)),
      choose: (apps: readonly string[]): void => void (names.value = apps.join(",")),
      search: signal(""),
      level: signal(""),
      /** The moment that the lines are around; empty for the newest ones. */
      at: signal(""),
      isWrapped: signal(page.preferences.get("logs.wrap") === "on"),
      known: computed(() => {
        const processes = monitorOf(page).feed.newest.value?.metrics?.processes ?? [];
        return [...new Set(processes.map(({ name }) => name))].toSorted();
      }),
    };
    page.router.keep(
      textPart({ name: "apps", tab }, names),
      textPart({ name: "q", tab }, state.search),
      textPart({ name: "level", tab }, state.level, { accepts: (value) => logLevels.some((name) => name === value) }),
      textPart({ name: "at", tab }, state.at, { accepts: (value) => !Number.isNaN(Date.parse(value)) }),
    );
    return state;
  });
}
