import type { JSX } from "preact";
import type { Console } from "../../console.ts";
import { useConsole } from "../../console.ts";
import { formatCount } from "../../data/format.ts";
import { EntryList } from "../../state/entry-list.ts";
import { Button } from "../../ui/Button.tsx";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { TabHead } from "../../ui/TabHead.tsx";
import { useFocus } from "../../ui/use-focus.ts";
import { Matrices } from "./Matrices.tsx";
import { targetKind } from "./target-kind.ts";
import { TargetForm } from "./TargetForm.tsx";
import { TargetItem } from "./TargetItem.tsx";

/** The deploy targets of the document. @see the specification, "Deploy target list behaviour" */
export function Targets(): JSX.Element {
  const console = useConsole();
  const list = targetList(console);
  const root = useFocus(list.focus);
  const entries = list.entries.value;
  return (
    <div class="stack" ref={root}>
      <TabHead
        title="Deploy targets"
        about={`${formatCount(entries.length, "target")}, kept in this browser until you export them.`}
      />
      <TargetForm list={list} />
      {entries.length === 0 ? (
        <NoTargets />
      ) : (
        <ul class="entries" aria-label="Deploy targets">
          {entries.map((entry, index) => (
            <TargetItem key={index} list={list} entry={entry} index={index} />
          ))}
        </ul>
      )}
      <Matrices list={list} />
    </div>
  );
}

/** The list and its form outlive the leaving of the tab. */
export function targetList({ kept, suite, facts }: Console): EntryList {
  return kept("targets", () => new EntryList(suite, targetKind(facts.vocabulary)));
}

function NoTargets(): JSX.Element {
  const { router } = useConsole();
  return (
    <div class="card">
      <EmptyState icon="rocket" title="No deploy targets yet">
        <p>
          A deploy target says where the service runs, on what runtime and as which service type. Describe the first one
          in the form above, or bring the deployments.yaml of your repository.
        </p>
        <Button icon="upload" onClick={() => router.go("transfer")}>
          Import a document
        </Button>
      </EmptyState>
    </div>
  );
}
