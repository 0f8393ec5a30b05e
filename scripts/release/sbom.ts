/** The parts of a CycloneDX document that `npm sbom` writes and this page changes. */
import { createHash } from "node:crypto";

export interface Bom {
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly scope?: string;
  readonly properties?: readonly unknown[];
}

/**
 * npm lists what an installation of this repository has. The package instead contains the code of `bundled`, as
 * `name@version`, and nothing else. The same build gives the same document.
 */
export function packageBom(npm: Bom, name: string, bundled: ReadonlySet<string>, builtAt: string): Bom {
  const component = { ...npm.metadata.component, name };
  const components = [...new Map(npm.components.map((each) => [`${each.name}@${each.version}`, each])).entries()]
    .filter(([id]) => bundled.has(id))
    .map(([, each]) => ({ ...each, scope: "required", properties: [] }))
    .toSorted((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1));
  const missing = [...bundled].filter((id) => !components.some((each) => `${each.name}@${each.version}` === id));
  if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(", ")}, which dist contains.`);
  const refs = new Set(components.map((each) => each["bom-ref"]));
  const dependencies = npm.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
  const root = { ref: component["bom-ref"], dependsOn: [...refs] };
  const document = {
    ...npm,
    metadata: { ...npm.metadata, timestamp: builtAt, lifecycles: [{ phase: "build" }], component },
    components,
    dependencies: [root, ...dependencies],
  };
  const digest = createHash("sha256")
    .update(JSON.stringify({ ...document, serialNumber: "" }))
    .digest("hex");
  return { ...document, serialNumber: `urn:uuid:${uuid(digest)}` };
}

/** A name-based UUID (version 8 of RFC 9562). */
function uuid(hex: string): string {
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}
