import type { JSX } from "preact";
import { usePage } from "../console.ts";
import type { TabId } from "../state/address.ts";
import { tabs } from "../tabs/index.ts";

export function Panel(): JSX.Element {
  const { router } = usePage();
  const tab = router.tab.value;
  // A link may name a tab that another machine does not have.
  const id = router.node !== "" && tabs[tab].isOfServer ? "monitoring" : tab;
  const { View } = tabs[id];
  return (
    <section id="panel" class={`panel ${id}`} aria-label={tabs[id].label} tabIndex={-1}>
      <View key={id} />
    </section>
  );
}

export function ClosedPanel({ id }: { id: TabId }): JSX.Element {
  return (
    <section id="panel" class="panel" aria-label={tabs[id].label} tabIndex={-1}>
      <h1>{tabs[id].label}</h1>
    </section>
  );
}
