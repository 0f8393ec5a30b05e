import type { JSX } from "preact";
import { entryOf } from "../../../core/deployments/vocabulary.ts";
import { useConsole } from "../../console.ts";
import { MatrixTable } from "../../ui/MatrixTable.tsx";

export function ProviderMatrix(props: { runMode: unknown; cloudProvider: unknown }): JSX.Element {
  const { matrix } = useConsole().facts;
  return (
    <MatrixTable
      title="Run modes and cloud providers"
      axes={["Cloud provider", "run mode"]}
      rows={matrix.cloudProviders}
      columns={matrix.runModes}
      isAccepted={(provider, mode) => entryOf(matrix.runModes, mode)?.cloudProviders.includes(provider) === true}
      chosen={[props.cloudProvider, props.runMode]}
    />
  );
}
