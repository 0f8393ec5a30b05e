import type { Mark } from "../api/alerts.ts";
import type { ProcessMetrics } from "../api/metrics.ts";

/** Of a declared app that PM2 does not know. */
export const MISSING = "missing";

/** Finer than the rule of an alert: an app that was muted while it was errored is not muted while it hangs. */
export function troubleKind({ problem, state }: Pick<ProcessMetrics, "problem" | "state">): string {
  return problem?.code ?? state;
}

export function findMute(
  marks: readonly Mark[],
  { subject, kind }: { readonly subject: string; readonly kind: string },
  nowMs: number,
): Mark["mute"] {
  const mute = marks.find((mark) => mark.subject === subject)?.mute;
  return mute?.kinds.includes(kind) === true && Date.parse(mute.until) > nowMs ? mute : undefined;
}
