import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import type { DeployPlan } from "../../../core/api/deploy.ts";
import { countSteps } from "../../../core/rollout/report/words.ts";
import { useConsole } from "../../console.ts";
import { capitalize } from "../../data/format.ts";
import { toProblem, type Problem } from "../../data/request-error.ts";
import { Button } from "../../ui/Button.tsx";
import { Card } from "../../ui/Card.tsx";
import { IssueList, RequestProblem, StatusLine, StatusRegion } from "../../ui/Problem.tsx";
import { TextField, bound } from "../../ui/Field.tsx";
import { useRequest } from "../../ui/use-request.ts";
import { ConfirmPlan } from "./Confirm.tsx";
import { useRollout } from "./rollout.ts";
import { type Accepted, refusalsOf } from "./selection.ts";
import { PlannedSteps } from "./Steps.tsx";

interface Query {
  readonly environment: string;
  readonly revision: string | undefined;
}

/** Prepares a commit, shows what it would change, and deploys it. The card of its release has the steps and the way back. */
export function Deploy({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { api } = useConsole();
  const { environment, isRunning } = useRollout();
  const revision = useSignal("");
  const request = useSignal<Query | undefined>(undefined);
  const { value: query } = request;
  const prepare = query && (async (signal: AbortSignal) => ({ query, plan: await api.prepareDeploy(query, signal) }));
  const { answer, problem, retry } = useRequest(prepare, [query]);
  const isPreparing = query !== undefined && problem === undefined && answer?.query !== query;
  const isOfEnvironment = query?.environment === environment.value;
  const begin = (event: Event): void => {
    event.preventDefault();
    request.value = { environment: environment.value, revision: revision.value.trim() || undefined };
  };
  return (
    <Card title={`Deploy to ${environment.value}`} actions={<Button onClick={onClose}>Close</Button>}>
      <form class="form-actions" onSubmit={begin}>
        <TextField
          label="Branch, tag or commit (by default the branch that the checkout follows)"
          {...bound(revision)}
        />
        <Button type="submit" disabled={isPreparing || isRunning.value}>
          Prepare
        </Button>
      </form>
      <StatusRegion>
        {isPreparing && (
          <StatusLine tone="info">
            Fetching, installing, building and checking. Nothing that runs is touched.{" "}
            <progress aria-label="Progress" />
          </StatusLine>
        )}
      </StatusRegion>
      <RequestProblem problem={problem} retry={retry} />
      {answer && answer.query === query && isOfEnvironment && <Prepared plan={answer.plan} onDone={onClose} />}
    </Card>
  );
}

interface PreparedProps {
  readonly plan: DeployPlan;
  readonly onDone: () => void;
}

function Prepared({ plan: { commit, subject, from, commits, plan, notes }, onDone }: PreparedProps): JSX.Element {
  const isConfirming = useSignal(false);
  const refusals = refusalsOf(plan);
  const reason = refusals.length > 0 ? "A step cannot run as declared." : undefined;
  return (
    <>
      <p>
        {from === null ? "First release: " : <code>{from.slice(0, 7)}</code>}
        {from !== null && " to "}
        <code>{commit.slice(0, 7)}</code> <bdi>{subject}</bdi>
      </p>
      {from !== null && commits === null && <p class="reason">The commits between them are unknown.</p>}
      <Commits of={commits?.added} label="New commits" />
      <Commits of={commits?.removed} label="Commits that no longer run" />
      <IssueList issues={plan.issues} label="Issues of the plan" />
      {notes.map((note) => (
        <p key={note} class="reason">
          {note}
        </p>
      ))}
      <PlannedSteps steps={plan.steps.filter((step) => step.do !== "save")} />
      <div class="form-actions">
        <Button variant="primary" reason={reason} onClick={() => void (isConfirming.value = true)}>
          {plan.changed ? `Deploy ${commit.slice(0, 7)}…` : `${commit.slice(0, 7)} runs already. Deploy…`}
        </Button>
      </div>
      {isConfirming.value && (
        <ConfirmDeploy of={{ commit, plan }} onClose={() => void (isConfirming.value = false)} onDone={onDone} />
      )}
    </>
  );
}

interface CommitsProps {
  readonly of: NonNullable<DeployPlan["commits"]>["added"] | undefined;
  readonly label: string;
}

function Commits({ of: commits = [], label }: CommitsProps): JSX.Element | null {
  if (commits.length === 0) return null;
  return (
    <details open={commits.length < 10}>
      <summary>
        {label}: {commits.length === 50 ? "50 or more" : commits.length}
      </summary>
      <ul aria-label={label}>
        {commits.map(({ commit, subject }) => (
          <li key={commit}>
            <code>{commit.slice(0, 7)}</code> <bdi>{subject}</bdi>
          </li>
        ))}
      </ul>
    </details>
  );
}

interface ConfirmProps extends Pick<PreparedProps, "onDone"> {
  readonly of: Pick<DeployPlan, "commit" | "plan">;
  readonly onClose: () => void;
}

function ConfirmDeploy({ of: { commit, plan }, onClose, onDone }: ConfirmProps): JSX.Element {
  const { api } = useConsole();
  const rollout = useRollout();
  const refusal = useSignal<Problem | undefined>(undefined);
  const isSending = useSignal(false);
  const { environment, id } = plan;
  const deploy = async (accepted: Accepted): Promise<void> => {
    isSending.value = true;
    try {
      const { release } = await api.deploy({ environment, revision: commit, plan: id ?? "", ...accepted });
      onDone();
      await (release === null ? rollout.load() : rollout.readRelease(release));
    } catch (error) {
      refusal.value = toProblem(error);
    } finally {
      isSending.value = false;
    }
  };
  return (
    <ConfirmPlan
      title={`Deploy ${commit.slice(0, 7)} to ${environment}?`}
      plan={plan}
      word="Deploy"
      sending={{ isSending, refusal }}
      run={deploy}
      onClose={onClose}
    >
      <p>{capitalize(countSteps(plan))}. If a step fails, code and configuration go back.</p>
    </ConfirmPlan>
  );
}
