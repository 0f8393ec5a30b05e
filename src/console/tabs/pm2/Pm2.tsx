import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useConsole } from "../../console.ts";
import type { EcosystemResponse } from "../../../core/api/bodies.ts";
import { pluralize } from "../../data/format.ts";
import { IconButton, Icon } from "../../ui/Button.tsx";
import { Copy, FilePath, CodeLine } from "../../ui/Copy.tsx";
import { StatusRegion, RequestProblem } from "../../ui/Problem.tsx";
import { TabHead, Card, EmptyState } from "../../ui/Card.tsx";
import { type Preview, previewOf } from "./preview.ts";
import { Select } from "../../ui/Field.tsx";
import { inFolder } from "../../../core/words/text.ts";
import { Names } from "../../ui/Names.tsx";
import { DescriptionList } from "../../ui/DescriptionList.tsx";

interface StartCommandProps {
  readonly preview: Preview;
  readonly chosen: EcosystemResponse["preview"];
}

export function Pm2(): JSX.Element {
  const page = useConsole();
  const preview = previewOf(page);
  useEffect(() => {
    void preview.load();
    return () => preview.close();
  }, [preview, page.service.value, preview.environment.value, preview.serviceKind.value]);
  const problem = preview.problem.value;
  const ecosystem = preview.ecosystem.value;
  return (
    <>
      <TabHead title="PM2 preview" about="The apps that the ecosystem file declares. Nothing is started here.">
        <IconButton icon="restart" label="Read the file again" variant="plain" onClick={() => void preview.reload()} />
      </TabHead>
      <RequestProblem problem={problem} retry={() => void preview.load()} />
      <StatusRegion>{ecosystem && <EcosystemFile ecosystem={ecosystem} />}</StatusRegion>
      {ecosystem?.exists === false && <NoEcosystem preview={preview} ecosystem={ecosystem} />}
      {ecosystem?.exists && <Declared preview={preview} ecosystem={ecosystem} />}
    </>
  );
}

function EcosystemFile({ ecosystem }: { ecosystem: EcosystemResponse }): JSX.Element {
  const { path, exists, apps } = ecosystem;
  return (
    <p class="ecosystem-file">
      <Icon name="file" />
      <FilePath path={path} />
      <span class={`badge ${exists ? "" : "warning"}`}>{exists ? pluralize(apps.length, "app") : "not there"}</span>
      <Copy text={path} what="the path" />
    </p>
  );
}

function Declared({ preview, ecosystem }: { preview: Preview; ecosystem: EcosystemResponse }): JSX.Element {
  const { apps, preview: chosen } = ecosystem;
  if (apps.length === 0) return <NoApps ecosystem={ecosystem} />;
  return (
    <>
      <StartCommand preview={preview} chosen={chosen} />
      <AppTable apps={apps} chosen={chosen?.apps ?? []} />
    </>
  );
}

function NoEcosystem({ preview, ecosystem }: { preview: Preview; ecosystem: EcosystemResponse }): JSX.Element {
  const { serviceKinds } = useConsole().facts.matrix;
  const suffixes = serviceKinds[preview.serviceKind.value]?.appSuffixes ?? [];
  return (
    <EmptyState icon="layers" title={`No ecosystem for ${ecosystem.environment}.`}>
      <p>
        Write <code>{ecosystem.fileName}</code> at the path above and read it again. An app whose name ends in{" "}
        {suffixes.join(" or ")} belongs to the service kind.
      </p>
      <Example suffixes={suffixes} />
    </EmptyState>
  );
}

function NoApps({ ecosystem }: { ecosystem: EcosystemResponse }): JSX.Element {
  return (
    <EmptyState icon="layers" title={`${ecosystem.fileName} declares no apps.`}>
      <p>Add one, and read it again.</p>
    </EmptyState>
  );
}

function Example({ suffixes }: { suffixes: readonly string[] }): JSX.Element {
  const apps = suffixes.map((suffix) => `    { name: "my-${suffix}", script: "./build/${suffix}.js" },`);
  return (
    <pre class="example" tabIndex={0} role="group" aria-label="Example of an ecosystem file">
      {["module.exports = {", "  apps: [", ...apps, "  ],", "};"].join("\n")}
    </pre>
  );
}

function StartCommand({ preview, chosen }: StartCommandProps): JSX.Element {
  const { serviceKinds } = useConsole().facts.matrix;
  const configured = preview.configuredKind.value;
  const kind = preview.serviceKind.value;
  const saved = configured && (serviceKinds[configured]?.label ?? configured);
  const other = saved ? `For this preview only: the service configuration says ${saved}.` : "No kind is saved yet.";
  return (
    <Card title="Start by service kind" class="start-command">
      <Select
        label="Service kind"
        value={kind}
        options={Object.entries(serviceKinds).map(([value, { label }]) => ({ value, label }))}
        hint={configured === kind ? "From the service configuration." : other}
        onChange={(next) => preview.choose(next)}
      />
      <div class="start-what">
        {chosen?.command ? (
          <>
            <p>
              Starts <Names of={chosen.apps} />
              and nothing else.
            </p>
            <CodeLine text={inFolder(chosen.cwd, chosen.command)} what="the command of the service kind" />
          </>
        ) : (
          <p>Starts nothing: no app has a name that ends in {(serviceKinds[kind]?.appSuffixes ?? []).join(" or ")}.</p>
        )}
      </div>
    </Card>
  );
}

type App = EcosystemResponse["apps"][number];

/** @param chosen names of the apps that the command of the service kind starts */
function AppTable({ apps, chosen }: { apps: readonly App[]; chosen: readonly string[] }): JSX.Element {
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
