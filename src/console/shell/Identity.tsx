import type { ComponentChildren, JSX } from "preact";
import { usePage } from "../console.ts";
import type { DocumentStore } from "../state/document-store.ts";
import { Button } from "../ui/Button.tsx";
import { Panel } from "../ui/Panel.tsx";

/**
 * Another server responds at the page's address; the page sends it nothing. Forms keep their values until the page is
 * reloaded.
 */
export function OtherServer({ root }: { root: string | undefined }): JSX.Element {
  const { server } = usePage();
  return (
    <Question title="Another server answers at this address">
      <p>
        This page was opened on the server of {root === undefined ? "another workspace" : <code>{root}</code>}. A
        different server answers at {location.host} now. The page sends it nothing: no token, no document, no change.
      </p>
      <div class="form-actions">
        <Button onClick={() => void server.check()}>Check again</Button>
        <Button variant="primary" onClick={() => location.reload()}>
          Open the console of this server
        </Button>
      </div>
    </Question>
  );
}

export function ForeignDocument({ store }: { store: DocumentStore }): JSX.Element {
  return (
    <Question title="This browser holds the document of another server">
      <p>
        The service configuration, deploy targets and interfaces that are saved for {location.host} belong to another
        server. They stay saved for that server. Choose the document that this server starts with.
      </p>
      <div class="form-actions">
        <Button onClick={() => store.settle("copy")}>A copy of that document</Button>
        <Button variant="primary" onClick={() => store.settle("empty")}>
          An empty document
        </Button>
      </div>
    </Question>
  );
}

function Question({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <Panel title={title} isFocused>
      <h1>{title}</h1>
      <div class="card stack">{children}</div>
    </Panel>
  );
}
