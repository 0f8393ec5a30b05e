import {
  type Candidate,
  defaultOf,
  lookup,
  frameworksOf,
  targetGroup,
  acceptedBy,
  type Vocabulary,
  type ValueSource,
} from "./file.ts";
import {
  CONTROLLER,
  CONTROLLER_EXAMPLE,
  ENTRYPOINT,
  ENTRYPOINT_EXAMPLE,
  RUNTIME,
  RUNTIME_EXAMPLES,
} from "./rules/interfaces.ts";
import type { CapabilityMatrix } from "../api/facts.ts";

const always = (): boolean => true;
const never = (): boolean => false;

const target = [
  {
    name: "name",
    label: "Name",
    help: "Unique among the targets, ignoring case.",
    flag: "name",
    required: always,
    examples: ["production"],
    column: 0,
  },
  {
    name: "region",
    label: "Region",
    help: "Region of the provider. For a self-hosted target, optionally the host.",
    flag: "region",
    dependsOn: "deployTarget",
    required: ({ deployTarget }, { matrix }) =>
      (lookup(matrix.deployTargets, deployTarget) ?? matrix.unknownDeployTarget).regionRequired,
    examples: ["eu-central-1"],
    column: 3,
  },
  {
    name: "runtime",
    label: "Runtime",
    help: `Runtime and its version, for example ${RUNTIME_EXAMPLES[0]}.`,
    flag: "runtime",
    required: always,
    format: { pattern: RUNTIME, expected: "a name with a version" },
    examples: RUNTIME_EXAMPLES,
    column: 4,
  },
  {
    name: "serviceType",
    label: "Service type",
    help: "Type of the deployed service.",
    flag: "service-type",
    dependsOn: "deployTarget",
    accepted: ({ deployTarget }, vocabulary) =>
      targetGroup(vocabulary, deployTarget)?.serviceTypes ?? Object.keys(vocabulary.matrix.serviceTypes),
    labels: ({ serviceTypes }) => serviceTypes,
    required: always,
    defaultValue: ({ deployTarget }, vocabulary) =>
      targetGroup(vocabulary, deployTarget)?.serviceTypes[0] ?? Object.keys(vocabulary.matrix.serviceTypes)[0],
    column: 2,
  },
  {
    name: "deployTarget",
    label: "Deploy target",
    help: "Platform that it is deployed to.",
    flag: "deploy-target",
    accepted: (_, { matrix }) => Object.keys(matrix.deployTargets),
    labels: ({ deployTargets }) => deployTargets,
    required: always,
    column: 1,
  },
  {
    name: "runtimeProtocol",
    label: "Protocol",
    help: "Protocol that the service type exposes.",
    flag: "runtime-protocol",
    dependsOn: "serviceType",
    accepted: ({ serviceType }, { matrix }) =>
      lookup(matrix.serviceTypes, serviceType)?.protocols ?? Object.keys(matrix.protocols),
    labels: ({ protocols }) => protocols,
    required: always,
    defaultValue: ({ serviceType }, { matrix }) => lookup(matrix.serviceTypes, serviceType)?.protocols[0],
    column: 5,
  },
  {
    name: "databaseDriver",
    label: "Database driver",
    help: "Database driver. Takes the values of SVC_DATABASE_DRIVER.",
    flag: "database-driver",
    ...driverField(({ drivers }) => drivers.database),
  },
  {
    name: "keyValueDriver",
    label: "Key-value driver",
    help: "Key-value driver. Takes the values of SVC_KEYVALUESTORAGE_DRIVER.",
    flag: "key-value-driver",
    flagAliases: ["keyvalue-driver"],
    ...driverField(({ drivers }) => drivers.keyValue),
  },
  {
    name: "pm2Profile",
    label: "PM2 profile",
    help: "PM2 profile. Required if PM2 manages the target, refused otherwise.",
    flag: "pm2-profile",
    dependsOn: "deployTarget",
    accepted: ({ deployTarget }, vocabulary) =>
      targetGroup(vocabulary, deployTarget)?.pm2Managed === false ? [] : vocabulary.matrix.pm2Profiles,
    required: ({ deployTarget }, vocabulary) => targetGroup(vocabulary, deployTarget)?.pm2Managed === true,
    defaultValue: ({ deployTarget }, vocabulary) =>
      targetGroup(vocabulary, deployTarget)?.pm2Managed ? vocabulary.matrix.migration.pm2Profile : undefined,
    emptyIsAbsent: true,
    column: 6,
  },
] as const satisfies readonly Field[];

const adapter = [
  {
    name: "type",
    label: "Type",
    help: "Interface type.",
    flag: "type",
    accepted: (_, { matrix }) => Object.keys(matrix.interfaceTypes),
    labels: ({ interfaceTypes }) => interfaceTypes,
    required: always,
    column: 0,
  },
  {
    name: "framework",
    label: "Framework",
    help: "Framework that serves the type. svcm matrix show lists them.",
    flag: "framework",
    dependsOn: "type",
    accepted: frameworksFor,
    // The repository may declare no framework for the type.
    required: (entry, vocabulary) => frameworksFor(entry, vocabulary).length > 0,
    column: 3,
  },
  {
    name: "entrypoint",
    label: "Entrypoint",
    help: "TypeScript or JavaScript file under src/interface/ that starts the adapter.",
    flag: "entrypoint",
    required: always,
    format: { pattern: ENTRYPOINT, expected: "a .ts or .js path under src/interface/" },
    examples: [ENTRYPOINT_EXAMPLE],
    column: 2,
  },
  {
    name: "controller",
    label: "Controller",
    help: `Controller mapping, for example ${CONTROLLER_EXAMPLE}.`,
    flag: "controller",
    required: always,
    format: { pattern: CONTROLLER, expected: "the form XController.action" },
    examples: [CONTROLLER_EXAMPLE],
    column: 1,
  },
] as const satisfies readonly Field[];

export const targetFields: readonly FieldWithFlag<(typeof target)[number]>[] = target;

export const interfaceFields: readonly FieldWithFlag<(typeof adapter)[number]>[] = adapter;

export const configurationFields: readonly Field[] = [
  {
    name: "serviceKind",
    label: "Service kind",
    help: "Interfaces that the service offers. They decide which ports it binds.",
    accepted: (_, { matrix }) => Object.keys(matrix.serviceKinds),
    labels: ({ serviceKinds }) => serviceKinds,
    required: always,
  },
  {
    name: "runMode",
    label: "Run mode",
    help: "Kind of host that runs the service.",
    accepted: (_, { matrix }) => Object.keys(matrix.runModes),
    labels: ({ runModes }) => runModes,
    required: always,
  },
  {
    name: "cloudProvider",
    label: "Cloud provider",
    help: "Provider of the host.",
    dependsOn: "runMode",
    accepted: ({ runMode }, { matrix }) =>
      lookup(matrix.runModes, runMode)?.cloudProviders ?? Object.keys(matrix.cloudProviders),
    labels: ({ cloudProviders }) => cloudProviders,
    required: always,
  },
  {
    name: "staticAssetsPath",
    label: "Static assets path",
    help: "Folder of static assets that the service delivers.",
    required: never,
  },
];

type FieldWithFlag<Row extends { readonly flag: string }> = Field & { readonly flag: Row["flag"] };

export function fieldValues(vocabulary: Vocabulary): Readonly<Record<string, readonly string[]>> {
  const fields: readonly Field[] = [...targetFields, ...interfaceFields, ...configurationFields];
  return Object.fromEntries(
    fields.flatMap(({ name, accepted }) => (accepted ? [[name, accepted({}, vocabulary)]] : [])),
  );
}

function driverField(fact: NonNullable<Field["fact"]>) {
  const accepted = (_: Candidate, vocabulary: Vocabulary) => acceptedBy(vocabulary, fact(vocabulary.matrix));
  return {
    fact,
    accepted,
    required: (_: Candidate, vocabulary: Vocabulary) => accepted(_, vocabulary).length > 0,
    defaultValue: (_: Candidate, vocabulary: Vocabulary) => defaultOf(vocabulary, fact(vocabulary.matrix)),
  } satisfies Partial<Field>;
}

function frameworksFor({ type }: Candidate, vocabulary: Vocabulary): readonly string[] {
  const interfaceType = lookup(vocabulary.matrix.interfaceTypes, type);
  return interfaceType ? acceptedBy(vocabulary, interfaceType.frameworks) : frameworksOf(vocabulary);
}

/**
 * Rules, defaults, flags, prompts, forms, lists and the editor schema derive from it. Its functions get the known part
 * of the entry.
 */
export interface Field {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly flag?: string;
  readonly flagAliases?: readonly string[];
  /** This field depends on it, so it is prompted for first. */
  readonly dependsOn?: string;
  /** Empty if the field must be absent; missing for free text. */
  readonly accepted?: (entry: Candidate, vocabulary: Vocabulary) => readonly string[];
  readonly labels?: (matrix: CapabilityMatrix) => Readonly<Record<string, { readonly label: string }>>;
  /** A runtime key that the matrix refers to describes the field. */
  readonly fact?: (matrix: CapabilityMatrix) => ValueSource;
  readonly required: (entry: Candidate, vocabulary: Vocabulary) => boolean;
  readonly defaultValue?: (entry: Candidate, vocabulary: Vocabulary) => string | undefined;
  readonly emptyIsAbsent?: boolean;
  readonly format?: { readonly pattern: RegExp; readonly expected: string };
  readonly examples?: readonly string[];
  /** A narrow window drops the highest rank first; a field without a rank is not listed. */
  readonly column?: number;
}

export function sortByDependency<F extends Field>(fields: readonly F[]): F[] {
  const ordered = new Set<F>();
  const place = (field: F): void => {
    const decider = fields.find(({ name }) => name === field.dependsOn);
    if (decider) place(decider);
    ordered.add(field);
  };
  fields.forEach(place);
  return [...ordered];
}
