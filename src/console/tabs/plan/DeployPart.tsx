import { useSignal } from "@preact/signals";
import type { ComponentType, JSX } from "preact";
import { useConsole, usePage } from "../../console.ts";
import { Button } from "../../ui/Button.tsx";

/** Its code is loaded when a user asks for it. */
export function DeployPart(): JSX.Element {
  const { toasts } = useConsole();
  const view = useSignal<ComponentType<{ readonly onClose: () => void }> | undefined>(undefined);
  const missing = usePage().identity.reasonAgainst("write");
  const open = async (): Promise<void> => {
    try {
      view.value = (await import("./Deploy.tsx")).Deploy;
    } catch (error) {
      toasts.error(error, "deploy");
    }
  };
  const { value: View } = view;
  if (View !== undefined) return <View onClose={() => void (view.value = undefined)} />;
  return (
    <div class="form-actions">
      <Button icon="download" reason={missing} onClick={() => void open()}>
        Deploy a commit…
      </Button>
    </div>
  );
}
