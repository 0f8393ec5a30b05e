import type { JSX } from "preact";
import type { EcosystemResponse } from "../../../core/api/bodies.ts";
import { pluralize } from "../../data/format.ts";
import { CodeLine } from "../../ui/CodeLine.tsx";
import { DescriptionList } from "../../ui/DescriptionList.tsx";

type App = EcosystemResponse["apps"][number];

/** @param chosen names of the apps that the command of the service kind starts */
export function AppTable({ apps, chosen }: { apps: readonly App[]; chosen: readonly string[] }): JSX.Element {
  return (
    <div class="card flush table-scroll" role="region" aria-label="Apps" tabIndex={0}>
      <table class="rows apps">
        <thead>
          <tr>
            {["App", "Script", "Variables", "Command"].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {apps.map((app, at) => (
            <AppRow key={`${at} ${app.name}`} app={app} isChosen={chosen.includes(app.name)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The server does not send secret values. */
function AppRow({ app, isChosen }: { app: App; isChosen: boolean }): JSX.Element {
  const { name, script, interpreter, interpreterArgs, env, command } = app;
  return (
    <tr>
      <th scope="row">{name || "App without a name"}</th>
      <td>
        <code>{[interpreter, ...interpreterArgs].join(" ")}</code> {script ? <code>{script}</code> : <em>none</em>}
      </td>
      <td>
        <Variables variables={Object.entries(env)} />
      </td>
      <td>
        {command ? <CodeLine text={command} what={`the command of ${name}`} /> : <em>none</em>}
        {isChosen && <span class="badge good">started by the command above</span>}
      </td>
    </tr>
  );
}

function Variables({ variables }: { variables: readonly [key: string, value: string][] }): JSX.Element {
  if (variables.length === 0) return <em>none</em>;
  return (
    <details open={variables.length <= 4}>
      <summary>{pluralize(variables.length, "variable")}</summary>
      <DescriptionList items={variables.map(([key, value]) => [key, value === "" ? <em>empty</em> : value])} />
    </details>
  );
}
