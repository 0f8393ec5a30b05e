import type { JSX } from "preact";
import type { EcosystemResponse } from "../../../core/api/bodies.ts";
import { pluralize } from "../../data/format.ts";
import { CodeLine } from "../../ui/CodeLine.tsx";

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
      <dl class="app-facts">
        <div>
          <dt>Script</dt>
          <dd>{script ? <code>{script}</code> : <em>none</em>}</dd>
        </div>
        <div>
          <dt>Interpreter</dt>
          <dd>
            <code>{[interpreter, ...interpreterArgs].join(" ")}</code>
          </dd>
        </div>
      </dl>
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
  return (
    <details open={variables.length <= 8}>
      <summary>{pluralize(variables.length, "variable")}</summary>
      <dl class="app-env">
        {variables.map(([key, value]) => (
          <div key={key}>
            <dt>
              <code>{key}</code>
            </dt>
            <dd>{value === "" ? <em>empty</em> : <code>{value}</code>}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
