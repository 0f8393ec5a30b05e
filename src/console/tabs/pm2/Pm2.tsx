import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { useConsole, type Console } from "../../console.ts";
import type { EcosystemResponse } from "../../../core/api/bodies.ts";
import { pluralize } from "../../data/format.ts";
import { IconButton, Icon } from "../../ui/Button.tsx";
import { Copy, FilePath, CodeLine } from "../../ui/Copy.tsx";
import { StatusRegion, RequestProblem } from "../../ui/Problem.tsx";
import { TabHead, Card, EmptyState, DescriptionList } from "../../ui/Card.tsx";
import { Select } from "../../ui/Field.tsx";
import { inFolder } from "../../../core/words/text.ts";
import { Names } from "../../ui/Names.tsx";
import { batch, computed, signal } from "@preact/signals";
import { selectionPart, type AddressPart } from "../../state/address.ts";
import { monitorOf } from "../monitoring/monitor.ts";
import { LatestRequest, type Problem } from "../../data/request-error.ts";

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
  if (apps.length === 0) return <EmptyState icon="layers" title={`${ecosystem.fileName} declares no apps.`} />;
  return (
    <>
      <StartCommand preview={preview} chosen={chosen} />
      <AppTable apps={apps} />
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

function AppTable({ apps }: { apps: readonly App[] }): JSX.Element {
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
            <AppRow key={`${at} ${app.name}`} app={app} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The server does not send secret values. */
function AppRow({ app }: { app: App }): JSX.Element {
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
      <td>{command ? <CodeLine text={command} what={`the command of ${name}`} /> : <em>none</em>}</td>
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

/**
 * Not stored, and independent of the env editor.
 *
 * @see the specification, "Deploy target list behaviour" 8 and 9
 */
class Preview {
  readonly environment;
  readonly ecosystem = signal<EcosystemResponse | undefined>();
  readonly problem = signal<Problem | undefined>();
  readonly configuredKind = computed(() => this.#knownKind(this.#page.store.document.value.serviceConfiguration));
  readonly serviceKind = computed(
    () => this.#chosenKind.value ?? this.configuredKind.value ?? Object.keys(this.#kinds)[0] ?? "",
  );
  readonly #page: Console;
  readonly #chosenKind = signal<string | undefined>();
  readonly #question = new LatestRequest();

  constructor(page: Console) {
    this.#page = page;
    this.environment = monitorOf(page).feed.environment;
  }

  parts(): AddressPart[] {
    const tab = "pm2" as const;
    return [
      selectionPart(
        { name: "environment", tab },
        () => this.environment.value,
        (name) => monitorOf(this.#page).selectEnvironment(name),
      ),
      {
        name: "kind",
        tab,
        read: () => [this.#chosenKind.value ?? []].flat(),
        write: ([kind]) => void (this.#chosenKind.value = this.#knownKind({ serviceKind: kind })),
      },
    ];
  }

  get #kinds() {
    return this.#page.facts.matrix.serviceKinds;
  }

  choose(serviceKind: string): void {
    this.#chosenKind.value = serviceKind;
  }

  /** The server runs the ecosystem file for each answer. */
  async load(): Promise<void> {
    const { environment, serviceKind } = this;
    const result = await this.#question.send((aborted) =>
      this.#page.api.ecosystem(environment.value, serviceKind.value, aborted),
    );
    if (result === undefined) return;
    batch(() => {
      this.ecosystem.value = result.answer;
      this.problem.value = result.problem;
    });
  }

  async reload(): Promise<void> {
    await this.load();
    const { ecosystem } = this;
    if (ecosystem.value?.exists) {
      const { fileName, apps } = ecosystem.value;
      this.#page.toasts.info(`Read ${fileName} again: ${pluralize(apps.length, "app")}.`);
    }
  }

  /** Another environment or service has another file, so nothing is shown until its answer. */
  close(): void {
    this.#question.abort();
    this.ecosystem.value = undefined;
  }

  #knownKind(configuration: { readonly serviceKind?: unknown } = {}): string | undefined {
    const { serviceKind } = configuration;
    return typeof serviceKind === "string" && Object.hasOwn(this.#kinds, serviceKind) ? serviceKind : undefined;
  }
}

function previewOf(page: Console): Preview {
  return page.getOrCreate("pm2", () => {
    const preview = new Preview(page);
    page.router.keep(...preview.parts());
    return preview;
  });
}
