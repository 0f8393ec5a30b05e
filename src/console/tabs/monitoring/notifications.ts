import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { Preferences } from "../../state/preferences.ts";
import { pluralize } from "../../data/format.ts";

const PREFERENCE = "monitoring.notices";

/** Browser notifications while the page is hidden; off by default. */
export function createNotifications(problemCount: ReadonlySignal<number | undefined>, preferences: Preferences) {
  const isPossible = "Notification" in globalThis;
  const isAllowed = (): boolean => isPossible && Notification.permission === "granted";
  const isOn = signal(isAllowed() && preferences.get(PREFERENCE) !== undefined);
  let before: number | undefined;
  effect(() => {
    const now = problemCount.value;
    if (isOn.value && document.hidden && now !== undefined && now > (before ?? now)) notify(now);
    before = now;
  });
  return {
    isPossible,
    isOn,
    async turn(on: boolean): Promise<void> {
      isOn.value = on && (isAllowed() || (await Notification.requestPermission()) === "granted");
      preferences.set(PREFERENCE, isOn.value ? "on" : undefined);
    },
  };
}

function notify(count: number): void {
  const notice = new Notification(`${pluralize(count, "process needs", "processes need")} attention`, {
    body: location.host,
    tag: "svcm",
  });
  notice.addEventListener("click", () => focus());
}
