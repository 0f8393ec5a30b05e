import type { JSX } from "preact";
import { useConsole } from "../../console.ts";
import { Unanswered } from "../../ui/Unanswered.tsx";
import { useAnswer } from "../../ui/use-answer.ts";
import type { ProcessProps } from "./monitor.ts";

export function EnvironmentNames({ process: { name }, monitor: { feed } }: ProcessProps): JSX.Element {
  const { api } = useConsole();
  const environment = feed.environment.value;
  const { answer, problem, retry } = useAnswer(
    (signal) => api.ecosystem(environment, undefined, signal),
    [environment],
  );
  const app = answer?.apps.find((other) => other.name === name);
  const names = Object.keys(app?.env ?? {}).toSorted();
  return (
    <>
      <Unanswered problem={problem} retry={retry} />
      {answer && (
        <p class="declared">
          {app === undefined
            ? `${answer.fileName} does not declare ${name}.`
            : names.length === 0
              ? `${answer.fileName} declares no variable for it.`
              : `Declared in ${answer.fileName}; values are not shown here.`}
        </p>
      )}
      <ul class="env-names">
        {names.map((key) => (
          <li key={key}>
            <code>{key}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
