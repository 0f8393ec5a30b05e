import type { JSX } from "preact";
import { useConsole } from "../../console.ts";
import { Card } from "../../ui/Card.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { IssueList } from "../../ui/IssueList.tsx";
import { RequestProblem } from "../../ui/Problem.tsx";
import { useRequest } from "../../ui/use-request.ts";
import type { FileRead } from "./editor.ts";

/** The check includes hidden keys; the server never sends their values. */
export function FileCheck({ read }: { read: FileRead }): JSX.Element {
  const { api } = useConsole();
  const { environment, fileName, entityTag } = read;
  const { answer, problem, retry } = useRequest(
    (signal) => api.envCheck(environment, signal),
    [environment, entityTag],
  );
  return (
    <Card title={`Check of ${fileName}`}>
      <RequestProblem problem={problem} retry={retry} />
      {answer && <IssueList label={`Issues of ${fileName}`} issues={answer.issues} />}
      {answer?.issues.length === 0 && (
        <p class="all-good">
          <Icon name="check" /> The file follows the runtime contract.
        </p>
      )}
    </Card>
  );
}
