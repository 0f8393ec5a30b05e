import type { HasWorkspace } from "../project/port-repository.ts";
import type { HasClock, HasHost } from "../files/port-host.ts";
import type { AlertMessage } from "../api/alerts.ts";

import type { AlertReport } from "./alert-state.ts";

const STATE_LABELS = { firing: "ALERT", resolved: "Resolved" } as const;

export function alertMessage(
  { clock, host, workspace }: HasClock & HasHost & HasWorkspace,
  { rule, subject, state, details, sinceMs, leftOut }: AlertReport,
): AlertMessage {
  const nowMs = clock.now();
  return {
    version: 1,
    text: `${STATE_LABELS[state]} on ${host.name()}: ${rule}. ${details}${leftOut > 0 ? ` ${leftOut} earlier messages were left out.` : ""}`,
    state,
    rule,
    subject,
    details,
    host: host.name(),
    workspace: workspace.root,
    at: new Date(nowMs).toISOString(),
    since: new Date(nowMs - (clock.elapsed() - sinceMs)).toISOString(),
    leftOut,
  };
}

export function testMessage({ clock, host, workspace }: HasClock & HasHost & HasWorkspace): AlertMessage {
  const at = new Date(clock.now()).toISOString();
  const details = `This is a test of the alerts of ${workspace.root}.`;
  const text = `Test on ${host.name()}: ${details}`;
  return {
    version: 1,
    text,
    state: "test",
    rule: null,
    subject: "test",
    details,
    host: host.name(),
    workspace: workspace.root,
    at,
    since: at,
    leftOut: 0,
  };
}
