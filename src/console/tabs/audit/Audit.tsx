import type { JSX } from "preact";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { TabHead } from "../../ui/TabHead.tsx";

export function Audit(): JSX.Element {
  return (
    <>
      <TabHead title="Audit" />
      <EmptyState icon="history" title="This tab is not there yet." />
    </>
  );
}
