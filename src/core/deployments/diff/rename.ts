import type { Candidate } from "../candidate.ts";
import { fingerprint } from "./fields.ts";
import type { Pair, Pairing, Placed } from "./pair.ts";

/** Above this, svcm detects only renames without any other change. */
const MAX_COMPARISONS = 250_000;

const PLACE = ["deployTarget", "pm2Profile"];
const NAME = "name";
const LIKE_ENOUGH = 0.75;

export function contentMark(target: Candidate): string {
  return fingerprint({ ...target, [NAME]: undefined });
}

/** A rename is in the same place, and three quarters of its other members are equal. The most similar pairs win. */
export function findRenames({ removed, added }: Pairing<Candidate>): Pair<Candidate>[] {
  if (removed.length * added.length > MAX_COMPARISONS) return [];
  const [olds, news] = [removed.map(printed), added.map(printed)];
  const candidates = olds
    .flatMap((old) =>
      news.map((young) => ({ from: old.placed, to: young.placed, likeness: likeness(old.prints, young.prints) })),
    )
    .filter((pair) => pair.likeness >= LIKE_ENOUGH)
    // Stable: among equals, the pair with the earlier entry wins.
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

function likeness(from: Prints, to: Prints): number {
  const isSame = (field: string): boolean => from.get(field) === to.get(field);
  if (!PLACE.every(isSame)) return 0;
  const fields = [...new Set([...from.keys(), ...to.keys()])].filter(
    (field) => field !== NAME && !PLACE.includes(field),
  );
  return fields.length === 0 ? 0 : fields.filter(isSame).length / fields.length;
}
