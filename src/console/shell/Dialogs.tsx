import type { JSX } from "preact";
import { usePage } from "../console.ts";
import { FormDialog } from "../ui/Dialog.tsx";
import { useSignal } from "@preact/signals";
import type { TokenDemand } from "../state/session.ts";
import { ProblemLine } from "../ui/Problem.tsx";
import { TextField, bound } from "../ui/Field.tsx";

export function QuestionDialog(): JSX.Element | null {
  const question = usePage().questions.open.value;
  if (question === undefined) return null;
  const { id, title, about, name, verb, answer } = question;
  return (
    <FormDialog
      key={id}
      title={title}
      verb={verb}
      isDangerous
      typedName={name}
      isQuestion={name === undefined}
      onClose={() => answer(false)}
      onSubmit={() => answer(true)}
    >
      {about !== undefined && <p>{about}</p>}
    </FormDialog>
  );
}

export function TokenEntry(): JSX.Element | null {
  const { session } = usePage();
  const demanded = session.demanded.value;
  return demanded === undefined ? null : <TokenForm demanded={demanded} />;
}

function TokenForm({ demanded: { problem, refused } }: { demanded: TokenDemand }): JSX.Element {
  const { session } = usePage();
  const token = useSignal("");
  const issues = refused ? [{ code: "UNAUTHORIZED" as const, message: "The server refused that token." }] : [];
  const text = token.value.trim();
  return (
    <FormDialog
      title={`Enter the access token of ${location.host}`}
      verb="Continue"
      isReady={text !== ""}
      onClose={() => session.cancel()}
      onSubmit={() => session.enter(text)}
    >
      <ProblemLine tone="warning" problem={problem} />
      <TextField
        label="Token"
        name="SVC_SERVICE_MANAGEMENT_AUTH_TOKEN"
        type="password"
        hint="Kept until this tab is closed, and sent to this server only."
        issues={issues}
        {...bound(token)}
      />
    </FormDialog>
  );
}
