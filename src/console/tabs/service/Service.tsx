import type { JSX } from "preact";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { TabHead } from "../../ui/TabHead.tsx";

export function Service(): JSX.Element {
  return (
    <>
      <TabHead title="Service configuration" />
      <EmptyState icon="gear" title="This tab is not there yet." />
    </>
  );
}
