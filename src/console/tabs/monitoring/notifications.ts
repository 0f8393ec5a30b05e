import { effect, signal, type ReadonlySignal } from "@preact/signals";
import type { Choices } from "../../state/preferences.ts";
import { counted } from "../../data/format.ts";

const CHOICE = "monitoring.notices";

/** Browser notifications while the page is hidden; off by default. */
export function createNotices(trouble: ReadonlySignal<number | undefined>, choices: Choices) {
  const isPossible = "Notification" in globalThis;
  const isAllowed = (): boolean => isPossible && Notification.permission === "granted";
  const isOn = signal(isAllowed() && choices.get(CHOICE) !== undefined);
  let before: number | undefined;
  effect(() => {
    const now = trouble.value;
    if (isOn.value && document.hidden && now !== undefined && now > (before ?? now)) notify(now);
    before = now;
  });
  return {
    isPossible,
    isOn,
    async turn(on: boolean): Promise<void> {
      isOn.value = on && (isAllowed() || (await Notification.requestPermission()) === "granted");
      choices.set(CHOICE, isOn.value ? "on" : undefined);
    },
  };
}

function notify(count: number): void {
  const notice = new Notification(`${counted(count, "process needs", "processes need")} attention`, {
    body: location.host,
    tag: "svcm",
  });
  notice.addEventListener("click", () => focus());
}
