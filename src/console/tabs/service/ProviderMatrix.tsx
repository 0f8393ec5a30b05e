import type { JSX } from "preact";
import { entryOf } from "../../../core/deployments/vocabulary.ts";
import { useConsole } from "../../console.ts";
import { headings, MatrixTable } from "../../ui/MatrixTable.tsx";

/** Which cloud providers offer which run mode. */
export function ProviderMatrix(props: { runMode: unknown; cloudProvider: unknown }): JSX.Element {
  const { matrix } = useConsole().facts;
  return (
    <MatrixTable
      title="Run modes and cloud providers"
      axes={["Cloud provider", "run mode"]}
      rows={headings(matrix.cloudProviders)}
      columns={headings(matrix.runModes)}
      isAccepted={(provider, mode) => entryOf(matrix.runModes, mode)?.cloudProviders.includes(provider) === true}
      chosen={[nameOf(props.cloudProvider), nameOf(props.runMode)]}
    />
  );
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
