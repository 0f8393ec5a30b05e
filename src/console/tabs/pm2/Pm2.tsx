import type { JSX } from "preact";
import { EmptyState } from "../../ui/EmptyState.tsx";
import { TabHead } from "../../ui/TabHead.tsx";

export function Pm2(): JSX.Element {
  return (
    <>
      <TabHead title="PM2 preview" />
      <EmptyState icon="layers" title="This tab is not there yet." />
    </>
  );
}
