import type { JSX } from "preact";
import { RepositoryState } from "../../ui/RepositoryState.tsx";
import { TabHead } from "../../ui/TabHead.tsx";
import { Export } from "./Export.tsx";
import { Import } from "./Import.tsx";

/** @see the specification, "Versioning" 4 */
export function Transfer(): JSX.Element {
  return (
    <div class="stack">
      <TabHead
        title="Export and import"
        about="Service configuration, interfaces, deploy targets and the selected environment, as one document."
      />
      <RepositoryState />
      <div class="transfer-columns">
        <Export />
        <Import />
      </div>
    </div>
  );
}
