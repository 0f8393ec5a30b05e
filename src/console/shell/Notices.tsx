import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { ConsoleContext, usePage } from "../console.ts";
import { download } from "../data/download.ts";
import { STORAGE_KEY } from "../state/document-place.ts";
import type { KeptAside, SuiteStore } from "../state/suite-store.ts";
import { Button } from "../ui/Button.tsx";
import { StatusLine, StatusRegion } from "../ui/StatusLine.tsx";

export function Notices(): JSX.Element {
  const { server } = usePage();
  const suite = useContext(ConsoleContext)?.suite;
  const newVersion = server.newVersion.value;
  return (
    <StatusRegion>
      {newVersion !== undefined && (
        <StatusLine
          tone="info"
          action={
            <Button size="small" onClick={() => location.reload()}>
              Reload
            </Button>
          }
        >
          The server is svcm {newVersion} now. Reload the page to get its console.
        </StatusLine>
      )}
      {suite?.unsaved.value !== undefined && (
        <StatusLine tone="error">Changes are held in this page only. {suite.unsaved.value}</StatusLine>
      )}
      {suite?.aside.value.map((kept) => (
        <Kept key={kept.key} kept={kept} suite={suite} />
      ))}
    </StatusRegion>
  );
}

function Kept({ kept, suite }: { kept: KeptAside; suite: SuiteStore }): JSX.Element {
  const drop = (): void => {
    if (confirm("Remove the text that could not be read? It cannot be restored.")) suite.dropAside(kept.key);
  };
  const actions = (
    <span class="form-actions">
      <Button size="small" icon="download" onClick={() => download(`${STORAGE_KEY}.unreadable.txt`, kept.text)}>
        Download
      </Button>
      <Button size="small" variant="danger" onClick={drop}>
        Remove
      </Button>
    </span>
  );
  return (
    <StatusLine tone="error" action={actions}>
      <strong>The saved text could not be read and was kept aside.</strong> {kept.reason}
    </StatusLine>
  );
}
