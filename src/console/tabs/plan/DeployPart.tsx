import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { usePage } from "../../console.ts";
import { Button } from "../../ui/Button.tsx";
import { Deploy } from "./Deploy.tsx";

export function DeployPart(): JSX.Element {
  const isOpen = useSignal(false);
  const missing = usePage().identity.reasonAgainst("write");
  if (isOpen.value) return <Deploy onClose={() => void (isOpen.value = false)} />;
  return (
    <div class="form-actions">
      <Button icon="download" reason={missing} onClick={() => void (isOpen.value = true)}>
        Deploy a commit…
      </Button>
    </div>
  );
}
