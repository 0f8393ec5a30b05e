import type { RuntimeContract } from "../../api/facts.ts";

/** The reasons of the tiers of keys that svcm.yaml declares, which its owners chose. */
export const PROJECT_TIERS: RuntimeContract["tiers"] = {
  editable: { reason: "svcm.yaml declares it as editable" },
  "read-only": { reason: "svcm.yaml declares it so" },
  "never-exposed": { reason: "svcm.yaml declares no other tier, so it counts as a secret" },
};

/** If svcm.yaml declares the keys, a command can change their tiers. */
export function isProjectContract({ tiers }: RuntimeContract): boolean {
  return tiers === PROJECT_TIERS;
}
