import { createContext, type ComponentChildren, type JSX } from "preact";
import { useContext } from "preact/hooks";
import { useConsole } from "../../console.ts";
import type { EcosystemResponse } from "../../../core/api/bodies.ts";
import { RequestProblem } from "../../ui/Problem.tsx";
import { useRequest, type RequestState } from "../../ui/use-request.ts";
import type { Monitor, ProcessProps } from "./monitor.ts";

const Declared = createContext<RequestState<EcosystemResponse> | undefined>(undefined);

/** Reads the ecosystem file once for all open rows, and again when its declarations change. */
export function DeclaredApps({ monitor, children }: { monitor: Monitor; children: ComponentChildren }): JSX.Element {
  const { api, service } = useConsole();
  const { feed, open } = monitor;
  const environment = feed.environment.value;
  const isNeeded = open.value.size > 0;
  const seen = isNeeded ? JSON.stringify(feed.displayed.value?.metrics?.ecosystem) : "";
  const declared = useRequest(isNeeded ? (signal) => api.ecosystem(environment, undefined, signal) : undefined, [
    isNeeded,
    environment,
    service.value,
    seen,
  ]);
  return <Declared.Provider value={declared}>{children}</Declared.Provider>;
}

export function EnvironmentNames({ process: { name } }: Pick<ProcessProps, "process">): JSX.Element | null {
  const asking = useContext(Declared);
  if (asking === undefined) return null;
  const { answer, problem, retry } = asking;
  const app = answer?.apps.find((other) => other.name === name);
  const names = Object.keys(app?.env ?? {}).toSorted();
  return (
    <>
      <RequestProblem problem={problem} retry={retry} />
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
