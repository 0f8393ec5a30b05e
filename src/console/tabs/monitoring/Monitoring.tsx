import type { JSX } from "preact";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { TabHead } from "../../ui/TabHead.tsx";

export function Monitoring(): JSX.Element {
  return (
    <>
      <TabHead title="Monitoring" />
      <EmptyState icon="activity" title="This tab is not there yet." />
    </>
  );
}
