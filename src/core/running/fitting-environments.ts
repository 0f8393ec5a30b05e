import { ownMember } from "../words/record.ts";
import type { Digests } from "./env-file-digests.ts";

/**
 * The environments whose declaration of an app agrees best with what its process was started with. Several, if they
 * agree equally: then the process may belong to any of them.
 * @param declared for each environment, the possible variables of the app
 */
export function fittingEnvironments(running: Digests, declared: ReadonlyMap<string, readonly Digests[]>): string[] {
  const keys = [...new Set([...declared.values()].flat().flatMap((variables) => Object.keys(variables)))];
  const countDifferences = (variables: Digests): number =>
    keys.filter((key) => ownMember(variables, key) !== ownMember(running, key)).length;
  const distances = [...declared].map(
    ([environment, possible]) => [environment, Math.min(...possible.map(countDifferences))] as const,
  );
  const nearest = Math.min(...distances.map(([, distance]) => distance));
  return distances.flatMap(([environment, distance]) => (distance === nearest ? [environment] : []));
}
