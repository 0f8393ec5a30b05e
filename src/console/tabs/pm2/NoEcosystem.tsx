import type { JSX } from "preact";
import { useConsole } from "../../console.ts";
import type { EcosystemResponse } from "../../../core/api/bodies.ts";
import { EmptyState } from "../../ui/EmptyState.tsx";
import type { Preview } from "./preview.ts";

export function NoEcosystem({ preview, ecosystem }: { preview: Preview; ecosystem: EcosystemResponse }): JSX.Element {
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

export function NoApps({ ecosystem }: { ecosystem: EcosystemResponse }): JSX.Element {
  return (
    <EmptyState icon="layers" title={`${ecosystem.fileName} declares no apps.`}>
      <p>Add them to its list of apps and read it again.</p>
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
