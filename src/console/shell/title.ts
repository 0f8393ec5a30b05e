import { useContext, useEffect, useLayoutEffect } from "preact/hooks";
import { ConsoleContext, usePage } from "../console.ts";
import type { Mark } from "../state/router.ts";
import { tabs } from "../tabs/index.ts";
import { useShownEnvironment } from "./shown-environment.ts";

export function useTitle(marks: Readonly<Record<string, Mark>>): void {
  const { label } = tabs[usePage().router.tab.value];
  const all = Object.values(marks);
  const errors = all.reduce((sum, mark) => sum + (mark.errors ?? 0), 0);
  const isUnsaved = all.some((mark) => mark.isUnsaved);
  const whose = useWhose();
  useEffect(() => {
    document.title = `${errors > 0 ? `(${errors}) ` : ""}${label} · ${whose}`;
  }, [label, errors, whose]);
  useEffect(() => markIcon(errors > 0), [errors > 0]);
  // Before the next frame, because the user may type and leave at once.
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const ask = (event: Event): void => event.preventDefault();
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [isUnsaved]);
}

function useWhose(): string {
  const page = useContext(ConsoleContext);
  const { name = "" } = useShownEnvironment() ?? {};
  if (page === undefined) return "Service Management";
  return `${page.facts.host} ${name}`.trim();
}

function markIcon(hasErrors: boolean): void {
  const icon = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  if (icon === null) return;
  const { plain = icon.getAttribute("href") ?? "" } = icon.dataset;
  icon.dataset["plain"] = plain;
  const marked = document.querySelector<HTMLMetaElement>("meta[name=icon-error]")?.content;
  icon.href = hasErrors ? (marked ?? plain) : plain;
}
