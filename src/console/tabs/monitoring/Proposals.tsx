import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Proposal } from "../../../core/api/proposals.ts";
import { useConsole } from "../../console.ts";
import { formatTime } from "../../data/format.ts";
import { Button } from "../../ui/Button.tsx";
import type { Monitor } from "./monitor.ts";

const KINDS = { apply: "apply a plan", deploy: "deploy a commit", "env.write": "change an env file" } as const;

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
  const { role, rights } = identity.me.value ?? {};
  // A server without tokens does not know who approves.
  const isUnknown = role === null && rights?.includes("write");
  const isPreparing = useSignal(false);
  const decide = async (request: () => Promise<unknown>): Promise<void> => {
    await request().catch((error: unknown) => toasts.error(error, `proposal ${id}`));
    onDecided();
  };
  const approve = async (): Promise<void> => {
    const deploy = await readDeploy();
    const title = `Approve ${id} in ${environment}?`;
    const about = `${deploy.words}The program may run it once, within an hour, and exactly this plan.`;
    if (await questions.ask({ title, about, name: environment, verb: "Approve" }))
      await decide(() => api.approve(id, planId, deploy.plan));
  };
  /** A proposal to deploy names a commit; its plan is known when the commit is prepared. */
  const readDeploy = async (): Promise<{ words: string; plan?: string | undefined }> => {
    if (proposal.commit === undefined) return { words: "" };
    isPreparing.value = true;
    try {
      const [{ plan }, { stepText }] = await Promise.all([
        api.prepareDeploy({ environment, service, revision: proposal.commit }),
        import("../../../core/rollout/report/words.ts"),
      ]);
      return { words: plan.steps.map((step) => `${step.app} ${stepText(step)}.\n`).join(""), plan: plan.id ?? "" };
    } finally {
      isPreparing.value = false;
    }
  };
  return (
    <>
      <p class="inbox-head">
        <i class="dot waiting" aria-hidden="true" />
        <strong>
          <bdi>{proposedBy.actor}</bdi> proposes to {KINDS[kind]} in {[environment, service].filter(Boolean).join(", ")}
        </strong>
        <small>until {formatTime(expiresAt)}</small>
      </p>
      <pre class="error-lines" tabIndex={0}>
        {summary.join("\n")}
      </pre>
      {reason !== undefined && (
        <p>
          The program says: “<bdi>{reason}</bdi>”
        </p>
      )}
      <span class="form-actions">
        <Button
          size="small"
          reason={isUnknown ? `It needs the token of an editor. In a terminal: svcm approve ${id}` : missing}
          disabled={isPreparing.value}
          onClick={() => void approve().catch((error: unknown) => toasts.error(error, `proposal ${id}`))}
        >
          {isPreparing.value ? "Preparing…" : "Approve…"}
        </Button>
        <Button size="small" reason={missing} onClick={() => void decide(() => api.deny(id))}>
          Deny
        </Button>
      </span>
    </>
  );
}
