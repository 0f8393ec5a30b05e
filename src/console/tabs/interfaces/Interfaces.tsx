import type { JSX } from "preact";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { TabHead } from "../../ui/TabHead.tsx";

export function Interfaces(): JSX.Element {
  return (
    <>
      <TabHead title="Interfaces" />
      <EmptyState icon="plug" title="This tab is not there yet." />
    </>
  );
}
