import type { JSX } from "preact";
import type { Proposal } from "../../../core/api/proposals.ts";
import { useConsole } from "../../console.ts";
import { formatTime } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import type { Monitor } from "./monitor.ts";

/** The proposals of programs, with the difference in words. The text of the program is marked as such. */
export function Proposals({ monitor: { marks } }: { monitor: Monitor }): JSX.Element {
  return (
    <>
      {marks.proposals.value.map((one) => (
        <li key={one.id} class="card proposal">
          <ProposalCard proposal={one} onDecided={() => void marks.load()} />
        </li>
      ))}
    </>
  );
}

function ProposalCard({ proposal, onDecided }: { proposal: Proposal; onDecided: () => void }): JSX.Element {
  const { api, identity, questions, toasts } = useConsole();
  const { id, kind, environment, service, planId, summary, reason, proposedBy, expiresAt } = proposal;
  const missing = identity.reasonAgainst("write");
  const what = kind === "apply" ? "apply a plan" : "change an env file";
  const decide = async (request: () => Promise<unknown>): Promise<void> => {
    await request().catch((error: unknown) => toasts.error(error, `proposal ${id}`));
    onDecided();
  };
  const approve = async (): Promise<void> => {
    const title = `Approve ${id} in ${environment}?`;
    const about = "The program may run it once, within an hour, and exactly this plan.";
    if (await questions.ask({ title, about, name: environment, verb: "Approve" }))
      await decide(() => api.approve(id, planId));
  };
  return (
    <>
      <p class="inbox-head">
        <i class="dot waiting" aria-hidden="true" />
        <strong>
          <bdi>{proposedBy.actor}</bdi> proposes to {what} in {[environment, service].filter(Boolean).join(", ")}
        </strong>
        <small>until {formatTime(expiresAt)}</small>
      </p>
      <pre class="error-lines">{summary.join("\n")}</pre>
      {reason !== undefined && (
        <p>
          The program says: “<bdi>{reason}</bdi>”
        </p>
      )}
      <span class="form-actions">
        <Button size="small" reason={missing} onClick={() => void approve()}>
          Approve…
        </Button>
        <Button size="small" reason={missing} onClick={() => void decide(() => api.deny(id))}>
          Deny
        </Button>
      </span>
    </>
  );
}
