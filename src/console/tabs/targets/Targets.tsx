import type { JSX } from "preact";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { TabHead } from "../../ui/TabHead.tsx";

export function Targets(): JSX.Element {
  return (
    <>
      <TabHead title="Deploy targets" />
      <EmptyState icon="rocket" title="This tab is not there yet." />
    </>
  );
}
