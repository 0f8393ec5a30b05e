import type { Candidate } from "../candidate.ts";
import { fingerprint } from "./fields.ts";
import type { Pair, Pairing, Placed } from "./pair.ts";

/** More candidates than these are not compared with each other: only a rename without another change is seen then. */
const MAX_COMPARISONS = 250_000;

/** What says where a deploy target runs. Under another of these it is another deploy target. */
const PLACE = ["deployTarget", "pm2Profile"];
const NAME = "name";
const LIKE_ENOUGH = 0.75;

/** The mark of deploy targets that differ by nothing but their name. */
export function contentMark(target: Candidate): string {
  return fingerprint({ ...target, [NAME]: undefined });
}

/**
 * Removed and added deploy targets that are one under two names: they run at the same deploy target
 * under the same PM2 profile, and at least three quarters of their other members are the same. The
 * most alike are paired first; among equals those that stand earliest, whichever side is the old one.
 */
export function findRenames({ removed, added }: Pairing<Candidate>): Pair<Candidate>[] {
  if (removed.length * added.length > MAX_COMPARISONS) return [];
  const [olds, news] = [removed.map(printed), added.map(printed)];
  const candidates = olds
    .flatMap((old) =>
      news.map((young) => ({ from: old.placed, to: young.placed, likeness: likeness(old.prints, young.prints) })),
    )
    .filter((pair) => pair.likeness >= LIKE_ENOUGH)
    // Equals keep their order. Of two that exclude each other, which share an entry, the one with the earlier other entry wins.
    .toSorted((a, b) => b.likeness - a.likeness);
  const taken = new Set<Placed<Candidate>>();
  const pairs: Pair<Candidate>[] = [];
  for (const { from, to } of candidates) {
    if (taken.has(from) || taken.has(to)) continue;
    taken.add(from).add(to);
    pairs.push({ from, to });
  }
  return pairs;
}

type Prints = ReadonlyMap<string, string>;

function printed(placed: Placed<Candidate>): { readonly placed: Placed<Candidate>; readonly prints: Prints } {
  return { placed, prints: new Map(Object.entries(placed.entry).map(([field, value]) => [field, fingerprint(value)])) };
}

/** The share of members that are the same, name and place aside; 0 where the place differs. */
function likeness(from: Prints, to: Prints): number {
  const isSame = (field: string): boolean => from.get(field) === to.get(field);
  if (!PLACE.every(isSame)) return 0;
  const fields = [...new Set([...from.keys(), ...to.keys()])].filter(
    (field) => field !== NAME && !PLACE.includes(field),
  );
  return fields.length === 0 ? 0 : fields.filter(isSame).length / fields.length;
}
