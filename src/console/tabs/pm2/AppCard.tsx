import type { JSX } from "preact";
import type { EcosystemResponse } from "../../../core/api/bodies.ts";
import { pluralize } from "../../data/format.ts";
import { CodeLine } from "../../ui/CodeLine.tsx";
import { DescriptionList } from "../../ui/DescriptionList.tsx";

type App = EcosystemResponse["apps"][number];

/** The server does not send secret values. */
export function AppCard({ app, isChosen }: { app: App; isChosen: boolean }): JSX.Element {
  const { name, script, interpreter, interpreterArgs, env, command } = app;
  return (
    <section class="card app" aria-label={name || "App without a name"}>
      <div class="card-head">
        <h2>{name || "App without a name"}</h2>
        {isChosen && <span class="badge good">started by the command above</span>}
      </div>
      <DescriptionList
        class="app-facts"
        items={[
          ["Script", script ? <code>{script}</code> : <em>none</em>],
          ["Interpreter", <code>{[interpreter, ...interpreterArgs].join(" ")}</code>],
        ]}
      />
      {command ? (
        <CodeLine text={command} what={`the command of ${name}`} />
      ) : (
        <p class="no-command">Without a name there is no command that starts this app alone.</p>
      )}
      <Variables variables={Object.entries(env)} />
    </section>
  );
}

function Variables({ variables }: { variables: readonly [key: string, value: string][] }): JSX.Element {
  if (variables.length === 0) return <p class="reason">It declares no variable.</p>;
  return (
    <details open={variables.length <= 8}>
      <summary>{pluralize(variables.length, "variable")}</summary>
      <DescriptionList
        class="app-env"
        items={variables.map(([key, value]) => [
          key,
          value === "" ? <em>empty</em> : <code>{value}</code>,
          <code>{key}</code>,
        ])}
      />
    </details>
  );
}
