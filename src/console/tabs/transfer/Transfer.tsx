import type { JSX } from "preact";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { TabHead } from "../../ui/TabHead.tsx";

export function Transfer(): JSX.Element {
  return (
    <>
      <TabHead title="Export / import" />
      <EmptyState icon="transfer" title="This tab is not there yet." />
    </>
  );
}
