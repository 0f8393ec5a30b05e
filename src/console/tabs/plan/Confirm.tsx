import { useSignal } from "@preact/signals";
import type { ComponentChildren, JSX } from "preact";
import type { Plan, Release } from "../../../core/api/rollout.ts";
import { countSteps, stepText } from "../../../core/rollout/report/words.ts";
import { Button } from "../../ui/Button.tsx";
import { Dialog } from "../../ui/Dialog.tsx";
import { ProblemText } from "../../ui/Problem.tsx";
import { StatusLine, StatusRegion } from "../../ui/StatusLine.tsx";
import { TextField } from "../../ui/TextField.tsx";
import { useRollout } from "./rollout.ts";

/** Repeats the effect of an apply or a rollback before it begins. */
export function Confirm(): JSX.Element | null {
  const { asked } = useRollout();
  const { value: subject } = asked;
  if (subject === undefined) return null;
  return "outcome" in subject ? <Undo release={subject} /> : <Apply plan={subject} />;
}

function Apply({ plan }: { plan: Plan }): JSX.Element {
  const rollout = useRollout();
  const message = useSignal("");
  const allowDirty = useSignal(false);
  const { id, environment, git, steps } = plan;
  const dirty = git?.dirty ?? [];
  const disruptive = steps.filter(({ disruption }) => disruption !== "none");
  const choices = { allowDirty: allowDirty.value, message: message.value };
  return (
    <Asking
      title={`Apply plan ${id} to ${environment}?`}
      word="Apply"
      isDangerous={disruptive.length > 0}
      isReady={dirty.length === 0 || allowDirty.value}
      run={() => rollout.apply(plan, choices)}
    >
      <p>{sentence(countSteps(plan))} The first step that fails stops the apply and restores the touched apps.</p>
      {disruptive.length === 0 ? (
        <StatusLine tone="success">No request is lost.</StatusLine>
      ) : (
        <StatusLine tone="warning">
          {disruptive.map((step) => (
            <p key={`${step.do} ${step.app}`}>
              <strong>
                <bdi>{step.app}</bdi>
              </strong>{" "}
              {stepText(step)}.
            </p>
          ))}
        </StatusLine>
      )}
      {dirty.length > 0 && (
        <label class="check">
          <input
            type="checkbox"
            checked={allowDirty.value}
            onChange={({ currentTarget }) => void (allowDirty.value = currentTarget.checked)}
          />
          <span>No commit holds {dirty.join(", ")}. Apply these files as they are.</span>
        </label>
      )}
      <TextField
        label="Note for the release (optional)"
        value={message.value}
        onChange={(text) => void (message.value = text.slice(0, 200))}
      />
    </Asking>
  );
}

function Undo({ release }: { release: Release }): JSX.Element {
  const rollout = useRollout();
  const { id, steps } = release;
  const apps = [...new Set(steps.flatMap(({ app }) => (app === "" ? [] : [app])))];
  const later = rollout.releases.value.filter(
    (other) => other.id > id && other.steps.some(({ app }) => apps.includes(app)),
  );
  return (
    <Asking title={`Undo release ${id}?`} word="Undo" isDangerous isReady run={() => rollout.undo(release)}>
      <p>
        These apps return to the processes and definitions from before the release: <bdi>{apps.join(", ")}</bdi>.
        Requests may fail while they restart.
      </p>
      <p>Files, code and data stay as they are. The rollback is a release, so it can be undone.</p>
      {later.length > 0 && (
        <StatusLine tone="warning">
          Later releases changed these apps, and that is undone too: {later.map((other) => other.id).join(", ")}.
        </StatusLine>
      )}
    </Asking>
  );
}

interface AskingProps {
  readonly title: string;
  readonly word: string;
  readonly isDangerous: boolean;
  readonly isReady: boolean;
  readonly run: () => Promise<void>;
  readonly children: ComponentChildren;
}

function Asking({ title, word, isDangerous, isReady, run, children }: AskingProps): JSX.Element {
  const { asked, refusal, isSending } = useRollout();
  const close = (): void => {
    asked.value = undefined;
    refusal.value = undefined;
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (isReady) void run();
  };
  return (
    <Dialog title={title} onClose={close}>
      <form class="token" onSubmit={submit}>
        {children}
        <StatusRegion>
          {refusal.value && (
            <StatusLine tone="error">
              <ProblemText problem={refusal.value} />
            </StatusLine>
          )}
        </StatusRegion>
        <div class="form-actions">
          <Button onClick={close}>Cancel</Button>
          <Button variant={isDangerous ? "danger" : "primary"} type="submit" disabled={!isReady || isSending.value}>
            {isSending.value ? "Beginning…" : word}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
