import {
  choice,
  condition,
  dependent,
  described,
  type JsonSchema,
  labelsOf,
  mapValues,
  TEXT,
  UNSUGGESTED,
  where,
} from "./schema-part.ts";
import { MEMBERS } from "./shape.ts";
import { portNames, type Vocabulary } from "./vocabulary.ts";

/** At most five digits, as a form sends a port, from 1 to 65535. */
const PORT_TEXT = /^(?=\d{1,5}$)(?=0*[1-9])(?:[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d{2}|655[0-2]\d|6553[0-5])$/;

const PORT: JsonSchema = {
  type: ["string", "integer"],
  minimum: 1,
  maximum: 65_535,
  pattern: PORT_TEXT.source,
  patternErrorMessage: "Expected an integer from 1 to 65535.",
};

/** The service configuration, as its rules judge it; that no two ports collide, a schema cannot say. */
export function configurationSchema({ matrix }: Vocabulary): JsonSchema {
  const { serviceKinds, runModes, cloudProviders } = matrix;
  const providers = labelsOf(cloudProviders);
  const about: Record<string, JsonSchema> = {
    serviceKind: {
      ...described("What the service serves.", portsByKind(matrix)),
      ...choice(Object.keys(serviceKinds), labelsOf(serviceKinds)),
    },
    runMode: {
      ...described("How the service runs.", providersByMode(matrix)),
      ...choice(Object.keys(runModes), labelsOf(runModes)),
    },
    cloudProvider: described("Where the service runs; what is accepted depends on runMode.", providersByMode(matrix)),
    staticAssetsPath: described("Folder of static assets that the service hands out."),
  };
  return {
    ...described("What the service serves, how and where it runs, and the ports that it binds."),
    type: "object",
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(MEMBERS.serviceConfiguration.text.map((name) => [name, { ...TEXT, ...about[name] }])),
      ports: portsSchema(matrix),
    },
    required: ["serviceKind", "runMode", "cloudProvider"],
    allOf: [
      ...dependent(
        "runMode",
        mapValues(runModes, (mode) => ({ properties: { cloudProvider: choice(mode.cloudProviders, providers) } })),
        { properties: { cloudProvider: choice(Object.keys(cloudProviders), providers) } },
      ),
      ...Object.entries(serviceKinds).map(([kind, { ports }]) => condition(where("serviceKind", [kind]), bound(ports))),
    ],
  };
}

/** What holds where these ports are bound. Without `type`, which yaml-language-server would suggest as a member. */
function bound(ports: readonly string[]): JsonSchema {
  const properties = Object.fromEntries(ports.map((port) => [port, PORT]));
  return { required: ["ports"], properties: { ports: { required: ports, properties } } };
}

type Matrix = Vocabulary["matrix"];

/** Ports of listeners that the kind does not bind may be anything: they are ignored. */
function portsSchema(matrix: Matrix): JsonSchema {
  const about = described("Port of the listener, an integer from 1 to 65535.");
  return {
    ...described("Ports by listener; those that serviceKind does not bind are ignored.", portsByKind(matrix)),
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(portNames(matrix).map((port) => [port, { ...about, ...UNSUGGESTED }])),
  };
}

function portsByKind({ serviceKinds }: Matrix): Record<string, readonly string[]> {
  return mapValues(serviceKinds, ({ ports }) => ports);
}

function providersByMode({ runModes }: Matrix): Record<string, readonly string[]> {
  return mapValues(runModes, ({ cloudProviders }) => cloudProviders);
}
