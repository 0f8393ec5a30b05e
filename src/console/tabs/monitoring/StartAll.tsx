import type { JSX } from "preact";
import { usePage } from "../../console.ts";
import { Button } from "../../ui/Button.tsx";
import type { Monitor } from "./monitor.ts";

/** Starts the apps one after the other, so that each has its own outcome. */
export function StartAll({ names, monitor }: { names: readonly string[]; monitor: Monitor }): JSX.Element {
  const { identity, questions } = usePage();
  const isBusy = names.some((name) => monitor.underWay.value.has(name));
  const label = names.length === 1 ? "Start" : `Start all ${names.length}`;
  const start = async (): Promise<void> => {
    const [first = ""] = names;
    const doubt = monitor.startWarning(first);
    if (doubt !== undefined && !(await questions.ask({ title: doubt, verb: label }))) return;
    for (const name of names) await monitor.act({ action: "start", scope: "ecosystem", name }, name);
  };
  return (
    <Button
      size="small"
      icon="play"
      disabled={isBusy || monitor.feed.state.value !== "live"}
      reason={identity.reasonAgainst("act")}
      onClick={() => void start()}
    >
      {isBusy ? "Starting…" : label}
    </Button>
  );
}
