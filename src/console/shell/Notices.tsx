import type { JSX } from "preact";
import { useContext } from "preact/hooks";
import { ConsoleContext, usePage } from "../console.ts";
import { download } from "../data/download.ts";
import { STORAGE_KEY } from "../state/document-storage.ts";
import type { UnreadableText, DocumentStore } from "../state/document-store.ts";
import { Button } from "../ui/Button.tsx";
import { StatusLine, StatusRegion } from "../ui/StatusLine.tsx";

export function Notices(): JSX.Element {
  const { server } = usePage();
  const store = useContext(ConsoleContext)?.store;
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
      {store?.unsaved.value !== undefined && (
        <StatusLine tone="error">Changes are held in this page only. {store.unsaved.value}</StatusLine>
      )}
      {store?.aside.value.map((text) => (
        <Unreadable key={text.key} copy={text} store={store} />
      ))}
    </StatusRegion>
  );
}

function Unreadable({ copy, store }: { copy: UnreadableText; store: DocumentStore }): JSX.Element {
  const { questions } = usePage();
  const drop = async (): Promise<void> => {
    const title = "Remove the text that could not be read? It cannot be restored.";
    if (await questions.ask({ title, verb: "Remove" })) store.dropAside(copy.key);
  };
  const actions = (
    <span class="form-actions">
      <Button size="small" icon="download" onClick={() => download(`${STORAGE_KEY}.unreadable.txt`, copy.text)}>
        Download
      </Button>
      <Button size="small" variant="danger" onClick={() => void drop()}>
        Remove
      </Button>
    </span>
  );
  return (
    <StatusLine tone="error" action={actions}>
      <strong>The saved text could not be read and was kept aside.</strong> {copy.reason}
    </StatusLine>
  );
}
