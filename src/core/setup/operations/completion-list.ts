import type { SetupPorts } from "../ports.ts";
import type { HasProcesses } from "../../pm2/port-processes.ts";
import type { HasRevisions, HasFiles } from "../../files/ports.ts";
import type { HasFacts, HasWorkspace } from "../../project/port-repository.ts";
import { acceptedValues, editableKeys, specOf, visibleKeys } from "../../env/runtime-keys.ts";
import { ecosystemSpellings, envSpellings } from "../../project/resolve.ts";
import { defineOperation } from "../../access/operation.ts";

import { selectorsOf, type LabelledNode } from "../../nodes/select.ts";
import { catalog } from "../codes/catalog.ts";
import { textField, DEPLOYMENTS_FILE, readDocument, vocabularyOf } from "../../deployments/file.ts";
import { fieldNames, type ListSection } from "../../deployments/shape.ts";

export interface Completable {
  readonly value: string;
  readonly about?: string;
}

/**
 * Suggestions for a position of the command line, from the repository, Git and PM2. `field:NAME` requests the values of
 * a field of deployments.yaml, `value:KEY` those of a runtime key. An unreadable file gives no suggestions; the command
 * itself reports the reason.
 */
export const completionList = defineOperation({
  id: "completion.list",
  access: "read",
  refusal: "INVALID_REQUEST",
  async run(ports: SetupPorts, { source }): Promise<Completable[]> {
    const [kind = "", name = ""] = source.split(":");
    if (kind === "field") return fieldValues(ports, name);
    if (kind === "value") return keyValues(ports, name);
    return Object.hasOwn(sources, source) ? sources[source as keyof typeof sources](ports) : [];
  },
});

const sources = {
  environments: async (ports: HasFacts) =>
    toCompletables([...envSpellings(await ports.facts.runtimeContract()).keys()]),
  ecosystems: async ({ facts }: HasFacts) => {
    const [contract, matrix] = await Promise.all([facts.runtimeContract(), facts.capabilityMatrix()]);
    return toCompletables(ecosystemSpellings(contract, matrix).keys());
  },
  visibleKeys: async ({ facts }: HasFacts) => keysAbout(await facts.runtimeContract(), visibleKeys),
  editableKeys: async ({ facts }: HasFacts) => keysAbout(await facts.runtimeContract(), editableKeys),
  projectKeys: async ({ facts }: HasFacts) => toCompletables(Object.keys((await facts.project())?.keys ?? {})),
  guesses: async ({ facts }: HasFacts) =>
    Object.entries((await facts.project())?.guesses ?? {}).map(([value, about]) => ({ value, about })),
  nodes: async (ports: HasFacts) => toCompletables(selectorsOf(await declaredNodes(ports))),
  nodeNames: async (ports: HasFacts) => toCompletables((await declaredNodes(ports)).map(({ name }) => name)),
  profiles: async ({ facts }: HasFacts) => {
    const { profiles } = await facts.runtimeContract();
    return Object.entries(profiles).map(([value, { label }]) => ({ value, about: label }));
  },
  services: async ({ facts }: HasFacts) =>
    toCompletables(Object.keys((await facts.project())?.services ?? {}).filter((name) => name !== "")),
  serviceKinds: async ({ facts }: HasFacts) => {
    const { serviceKinds } = await facts.capabilityMatrix();
    return Object.entries(serviceKinds).map(([value, { label }]) => ({ value, about: label }));
  },
  codes: async () =>
    Object.values(catalog).flatMap((codes) =>
      Object.entries(codes).map(([value, { summary }]) => ({ value, about: summary })),
    ),
  targetFields: async () => toCompletables(fieldNames("deployments")),
  configurationFields: async ({ facts }: HasFacts) => {
    const ports = Object.values((await facts.capabilityMatrix()).serviceKinds).flatMap((kind) => kind.ports);
    const fields = fieldNames("serviceConfiguration").filter((field) => field !== "ports");
    return toCompletables([...fields, ...new Set(ports.map((port) => `ports.${port}`))]);
  },
  targets: async (ports: HasFiles & HasWorkspace) => documentEntries(ports, "deployments", "name", "deployTarget"),
  adapters: async (ports: HasFiles & HasWorkspace) => documentEntries(ports, "interfaces", "controller", "framework"),
  revisions: async ({ revisions }: HasRevisions) => toCompletables(await revisions.listNames()),
  processes: async ({ processes }: HasProcesses) => {
    const states = new Map<string, Set<string>>();
    for (const { name, status } of await processes.names())
      states.set(name, (states.get(name) ?? new Set()).add(status));
    return [...states].map(([value, statuses]) => ({ value, about: [...statuses].join(", ") }));
  },
  processIds: async ({ processes }: HasProcesses) =>
    (await processes.names()).map(({ pmId, name, status }) => ({ value: String(pmId), about: `${name}, ${status}` })),
  namespaces: async ({ processes }: HasProcesses) =>
    toCompletables([...new Set((await processes.names()).map(({ namespace }) => namespace))]),
};

async function declaredNodes({ facts }: HasFacts): Promise<LabelledNode[]> {
  const nodes = (await facts.project())?.nats?.nodes ?? {};
  return Object.entries(nodes).map(([name, { labels }]) => ({ name, labels }));
}

function toCompletables(values: Iterable<string>): Completable[] {
  return [...values].map((value) => ({ value }));
}

type Contract = Awaited<ReturnType<HasFacts["facts"]["runtimeContract"]>>;

function keysAbout(contract: Contract, keys: (contract: Contract) => string[]): Completable[] {
  return keys(contract).map((value) => ({ value, about: specOf(contract, value)?.label ?? "" }));
}

async function keyValues({ facts }: HasFacts, key: string): Promise<Completable[]> {
  const spec = specOf(await facts.runtimeContract(), key);
  return spec?.kind === "enum" ? toCompletables(acceptedValues(spec).filter((value) => value !== "")) : [];
}

async function fieldValues(ports: HasFacts, field: string): Promise<Completable[]> {
  const { fieldValues: valuesOf } = await import("../../deployments/fields.ts");
  return toCompletables(valuesOf(await vocabularyOf(ports))[field] ?? []);
}

async function documentEntries(
  ports: HasFiles & HasWorkspace,
  section: ListSection,
  name: string,
  about: string,
): Promise<Completable[]> {
  const [{ readSource }, { entriesOf }] = await Promise.all([
    import("../../yaml/read.ts"),
    import("../../deployments/edit/edit.ts"),
  ]);
  const { value } = readSource(await readDocument(ports, DEPLOYMENTS_FILE), DEPLOYMENTS_FILE);
  return entriesOf(value, section)
    .map(({ entry }) => ({ value: textField(entry, name), about: textField(entry, about) }))
    .filter((entry) => entry.value !== "");
}
