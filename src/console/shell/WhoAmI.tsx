import type { JSX } from "preact";
import { usePage } from "../console.ts";

/** The token of this tab, its role and its limits. */
export function WhoAmI(): JSX.Element | null {
  const { me } = usePage().identity;
  if (!me.value?.role) return null;
  const { actor, role, environments = [], services = [] } = me.value;
  const limits = [...environments, ...services];
  return (
    <span class="who">
      <bdi>{actor}</bdi> ({[role, ...limits].join(", ")})
    </span>
  );
}
