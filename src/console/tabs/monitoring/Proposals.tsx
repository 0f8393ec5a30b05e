import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { Proposal } from "../../../core/api/proposals.ts";
import { escapeHidden } from "../../../core/words/characters.ts";
import { useConsole } from "../../console.ts";
import type { Api } from "../../data/api.ts";
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

type Decide = (request: () => Promise<unknown>) => Promise<void>;

function ProposalCard({ proposal, onDecided }: { proposal: Proposal; onDecided: () => void }): JSX.Element {
  const { api, identity, toasts } = useConsole();
  const { id, kind, environment, service, summary, reason, proposedBy, expiresAt } = proposal;
  const decide: Decide = async (request) => {
    await request().catch((error: unknown) => toasts.error(error, `proposal ${id}`));
    onDecided();
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
        <Approve proposal={proposal} decide={decide} />
        <Button size="small" reason={identity.reasonAgainst("write")} onClick={() => void decide(() => api.deny(id))}>
          Deny
        </Button>
      </span>
    </>
  );
}

function Approve({ proposal, decide }: { proposal: Proposal; decide: Decide }): JSX.Element {
  const { api, identity, questions, toasts } = useConsole();
  const isPreparing = useSignal(false);
  const { id, environment, planId } = proposal;
  const { role, rights } = identity.me.value ?? {};
  // A server without tokens does not know who approves.
  const isUnknown = role === null && rights?.includes("write");
  const missing = isUnknown ? `It needs the token of an editor. In a terminal: svcm approve ${id}` : undefined;
  const approve = async (): Promise<void> => {
    isPreparing.value = true;
    const deploy = await readDeploy(api, proposal).finally(() => void (isPreparing.value = false));
    const title = `Approve ${id} in ${environment}?`;
    const about = `${deploy.words}The program may run it once, within an hour, and exactly this plan.`;
    if (await questions.ask({ title, about, name: environment, verb: "Approve" }))
      await decide(() => api.approve(id, planId, deploy.plan));
  };
  return (
    <Button
      size="small"
      reason={missing ?? identity.reasonAgainst("write")}
      disabled={isPreparing.value}
      onClick={() => void approve().catch((error: unknown) => toasts.error(error, `proposal ${id}`))}
    >
      {isPreparing.value ? "Preparing…" : "Approve…"}
    </Button>
  );
}

/** A proposal to deploy names a commit; its plan is known when the commit is prepared. */
async function readDeploy(
  api: Pick<Api, "prepareDeploy">,
  { commit, environment, service }: Proposal,
): Promise<{ words: string; plan?: string | undefined }> {
  if (commit === undefined) return { words: "" };
  const [{ plan }, { stepText }] = await Promise.all([
    api.prepareDeploy({ environment, service, revision: commit }),
    import("../later.ts"),
  ]);
  return {
    words: plan.steps.map((step) => `${escapeHidden(step.app ?? "")} ${stepText(step)}.\n`).join(""),
    plan: plan.id ?? "",
  };
}
