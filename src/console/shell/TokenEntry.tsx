import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { usePage } from "../console.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { TextField } from "../ui/TextField.tsx";

/** Asks for the token where a request needs one. It stays in this tab of the browser until that is closed. */
export function TokenEntry(): JSX.Element | null {
  const { session } = usePage();
  const demanded = session.demanded.value;
  return demanded === undefined ? null : <TokenForm refused={demanded.refused} />;
}

function TokenForm({ refused }: { refused: boolean }): JSX.Element {
  const { session } = usePage();
  const token = useSignal("");
  const issues = refused ? [{ code: "UNAUTHORIZED", message: "The server did not accept that token." }] : [];
  const submit = (event: Event): void => {
    event.preventDefault();
    if (token.value.trim() !== "") session.enter(token.value.trim());
  };
  return (
    <Dialog title="This needs the token" onClose={() => session.cancel()}>
      <form class="token" onSubmit={submit}>
        <TextField
          label="Token"
          name="SVC_SERVICE_MANAGEMENT_AUTH_TOKEN"
          type="password"
          hint="Kept until this tab of the browser is closed, and sent to this server only."
          issues={issues}
          value={token.value}
          onInput={(value) => void (token.value = value)}
        />
        <div class="form-actions">
          <Button onClick={() => session.cancel()}>Cancel</Button>
          <Button variant="primary" type="submit" disabled={token.value.trim() === ""}>
            Continue
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
