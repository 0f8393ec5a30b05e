import type { Router } from "../../state/router.ts";
import type { Shortcut } from "../../state/shortcuts.ts";

const rows = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-row]")];

const hasFocus = (row: HTMLElement): boolean => row.closest("tr")?.contains(document.activeElement) ?? false;

const move = (step: number) => (): void => {
  const all = rows();
  const at = all.findIndex(hasFocus);
  all[at < 0 ? 0 : at + step]?.focus();
};

/** The single keys of the list: to the next and the previous process, and to the log of one. */
export function rowKeys(router: Pick<Router, "href">): readonly Shortcut[] {
  return [
    { key: "j", label: "Go to the next process", run: move(1) },
    { key: "k", label: "Go to the previous process", run: move(-1) },
    {
      key: "l",
      label: "Open the log of the process",
      run() {
        const row = rows().find(hasFocus);
        if (row) location.hash = router.href("logs", ["apps", row.title]);
      },
    },
  ];
}
