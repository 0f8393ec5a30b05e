import type { Candidate } from "../candidate.ts";
import { fingerprint } from "./fields.ts";
import type { Pair, Pairing, Indexed } from "./pair.ts";

/** Above this, svcm detects only renames without any other change. */
const MAX_COMPARISONS = 250_000;

const LOCATION_FIELDS = ["deployTarget", "pm2Profile"];
const NAME = "name";
const MIN_SIMILARITY = 0.75;

export function contentKey(target: Candidate): string {
  return fingerprint({ ...target, [NAME]: undefined });
}

/** A rename is in the same place, and three quarters of its other members are equal. The most similar pairs win. */
export function findRenames({ removed, added }: Pairing<Candidate>): Pair<Candidate>[] {
  if (removed.length * added.length > MAX_COMPARISONS) return [];
  const [olds, news] = [removed.map(fingerprintFields), added.map(fingerprintFields)];
  const candidates = olds
    .flatMap((old) =>
      news.map((next) => ({
        from: old.indexed,
        to: next.indexed,
        similarity: compareFields(old.fingerprints, next.fingerprints),
      })),
    )
    .filter((pair) => pair.similarity >= MIN_SIMILARITY)
    // Stable: among equals, the pair with the earlier entry wins.
    .toSorted((a, b) => b.similarity - a.similarity);
  const taken = new Set<Indexed<Candidate>>();
  const pairs: Pair<Candidate>[] = [];
  for (const { from, to } of candidates) {
    if (taken.has(from) || taken.has(to)) continue;
    taken.add(from).add(to);
    pairs.push({ from, to });
  }
  return pairs;
}

type Fingerprints = ReadonlyMap<string, string>;

function fingerprintFields(indexed: Indexed<Candidate>): {
  readonly indexed: Indexed<Candidate>;
  readonly fingerprints: Fingerprints;
} {
  return {
    indexed,
    fingerprints: new Map(Object.entries(indexed.entry).map(([field, value]) => [field, fingerprint(value)])),
  };
}

function compareFields(from: Fingerprints, to: Fingerprints): number {
  const isSame = (field: string): boolean => from.get(field) === to.get(field);
  if (!LOCATION_FIELDS.every(isSame)) return 0;
  const fields = [...new Set([...from.keys(), ...to.keys()])].filter(
    (field) => field !== NAME && !LOCATION_FIELDS.includes(field),
  );
  return fields.length === 0 ? 0 : fields.filter(isSame).length / fields.length;
}
