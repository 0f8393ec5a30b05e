import type { JSX } from "preact";
import { groupOf } from "../../../core/deployments/vocabulary.ts";
import { useConsole } from "../../console.ts";
import type { EntryList } from "../../state/entry-list.ts";
import { headings, MatrixTable } from "../../ui/MatrixTable.tsx";
import { ProviderMatrix } from "../service/ProviderMatrix.tsx";

/** What can run where, with the selections of this form and of the stored service configuration. */
export function Matrices({ list }: { list: EntryList }): JSX.Element {
  const { facts, suite } = useConsole();
  const { matrix } = facts;
  const { deployTarget, serviceType } = list.values.value;
  const { runMode, cloudProvider } = suite.document.value.serviceConfiguration ?? {};
  return (
    <div class="matrices">
      <MatrixTable
        title="What runs where"
        axes={["Deploy target", "service type"]}
        rows={headings(matrix.deployTargets)}
        columns={headings(matrix.serviceTypes)}
        isAccepted={(target, type) => groupOf(facts.vocabulary, target)?.serviceTypes.includes(type) === true}
        chosen={[deployTarget, serviceType]}
      />
      <ProviderMatrix runMode={runMode} cloudProvider={cloudProvider} />
    </div>
  );
}
