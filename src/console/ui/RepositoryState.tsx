import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useConsole } from "../console.ts";
import type { DeclarationsPlanResponse } from "../../core/api/declarations.ts";
import type { Repository } from "../data/api.ts";
import { pluralize } from "../data/format.ts";
import { Button } from "./Button.tsx";
import { Card } from "./Card.tsx";
import { CopyButton } from "./Copy.tsx";
import { IssueList, StatusLine, StatusRegion, RequestProblem } from "./Problem.tsx";
import { useRequest } from "./use-request.ts";

export function RepositoryState(): JSX.Element {
  const { declarations } = useConsole();
  const { repository, isDraft, isOutdated, problem } = declarations;
  useEffect(() => void declarations.read(), [declarations]);
  const file = repository.value;
  return (
    <>
      <RequestProblem problem={problem.value} retry={() => void declarations.read()} />
      <StatusRegion>
        {!file && !problem.value && <StatusLine tone="info">Reading the declarations…</StatusLine>}
        {file && !isDraft.value && <FileState file={file} hasSaved={declarations.hasSaved.value} />}
      </StatusRegion>
      {file && isOutdated.value && <Outdated file={file} />}
      {file && isDraft.value && !isOutdated.value && <Draft file={file} />}
    </>
  );
}

function FileState({ file, hasSaved }: { file: Repository; hasSaved: boolean }): JSX.Element | null {
  const { file: name, exists, issues, valid, revision } = file;
  if (!exists) return null;
  if (!valid) {
    return (
      <StatusLine tone="error">
        <strong>
          {name} has {pluralize(issues.length, "issue")}.
        </strong>
        <IssueList issues={issues} label={`Issues of ${name}`} isPlaced isCounted />
      </StatusLine>
    );
  }
  const commit = revision && <code>{revision.commit.slice(0, 7)}</code>;
  return (
    <p class="file-state">
      {hasSaved ? `Saved to ${name}` : `From ${name}`}
      {commit && (revision.isChanged ? <>, which differs from commit {commit}</> : <> at commit {commit}</>)}.
    </p>
  );
}

function usePlan(from?: object, document?: object): ReturnType<typeof useRequest<DeclarationsPlanResponse>> {
  const { api, declarations, store } = useConsole();
  const draft = { document: document ?? declarations.draft(), ...(from && { from }) };
  return useRequest(
    (signal) => api.declarationsPlan(draft, signal),
    [store.document.value, declarations.repository.value?.entityTag],
  );
}

function Draft({ file }: { file: Repository }): JSX.Element {
  const { declarations, questions } = useConsole();
  const { answer, problem, retry } = usePlan();
  const isBad = answer !== undefined && answer.issues.length > 0;
  const discard = async (): Promise<void> => {
    const title = `Discard the draft? ${file.file} stays as it is.`;
    if (await questions.ask({ title, verb: "Discard" })) declarations.discard();
  };
  return (
    <Card title="Draft" class="draft">
      <p>
        {file.exists
          ? `These changes are in this browser only, not in ${file.file}.`
          : `This is in this browser only. ${file.file} does not exist yet; saving creates it.`}
      </p>
      <RequestProblem problem={problem} retry={retry} />
      {answer && <Differences plan={answer} label="Changes of the draft" />}
      {isBad && (
        <StatusLine tone="error">
          <strong>The draft cannot be saved until its errors are fixed.</strong>
          <IssueList issues={answer.issues} label="Issues of the draft" isPlaced />
        </StatusLine>
      )}
      <div class="form-actions">
        <Button variant="danger" onClick={() => void discard()}>
          Discard
        </Button>
        {answer?.patch && <CopyButton text={answer.patch} what="the patch" word="Copy patch" />}
        <Save disabled={answer === undefined || isBad} />
      </div>
    </Card>
  );
}

function Save({ disabled }: { disabled: boolean }): JSX.Element {
  const { declarations, identity } = useConsole();
  const isSaving = declarations.isSaving.value;
  return (
    <Button
      variant="primary"
      icon="check"
      disabled={disabled || isSaving}
      reason={identity.reasonAgainst("write")}
      onClick={() => void declarations.save()}
    >
      {isSaving ? "Saving…" : "Save to file"}
    </Button>
  );
}

/** If the file changed after the draft began, nothing is written until the user decides. */
function Outdated({ file }: { file: Repository }): JSX.Element {
  const { declarations } = useConsole();
  const theirs = usePlan(declarations.base.value?.document, file.document ?? {});
  const mine = usePlan(declarations.base.value?.document);
  return (
    <Card title={`${file.file} was changed meanwhile`} class="draft">
      <p>Nothing was written, and your draft is kept.</p>
      <RequestProblem problem={theirs.problem ?? mine.problem} retry={theirs.retry} />
      <div class="sides">
        <div>
          <h3>Changed in the file</h3>
          {theirs.answer && <Differences plan={theirs.answer} label="Changes of the file" />}
        </div>
        <div>
          <h3>Changed in your draft</h3>
          {mine.answer && <Differences plan={mine.answer} label="Changes of the draft" />}
        </div>
      </div>
      <div class="form-actions">
        <Button variant="danger" onClick={() => declarations.discard()}>
          Discard the draft, take the file
        </Button>
        <Button variant="primary" onClick={() => declarations.rebase()}>
          Keep the draft on top of the file
        </Button>
      </div>
    </Card>
  );
}

function Differences({ plan: { differences }, label }: { plan: DeclarationsPlanResponse; label: string }): JSX.Element {
  if (differences.length === 0) return <p>No difference in meaning.</p>;
  return (
    <ul class="differences" aria-label={label}>
      {differences.map(({ section, subject, fields }) => (
        <li key={`${section} ${subject}`}>
          <span class="side">{section}</span> <strong>{subject}</strong>
          <ul>
            {fields.map((text) => (
              <li key={text}>
                <code>{text}</code>
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ul>
  );
}
