import type { JSX } from "preact";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { TabHead } from "../../ui/TabHead.tsx";

export function Environment(): JSX.Element {
  return (
    <>
      <TabHead title="Runtime environment" />
      <EmptyState icon="sliders" title="This tab is not there yet." />
    </>
  );
}
