/**
 * True if a version is in a range of `engines` or of `.nvmrc`; `undefined` for a form that svcm does not read.
 * @see https://github.com/npm/node-semver#ranges
 */
export function isInRange(version: string, range: string): boolean | undefined {
  const own = parse(version);
  if (own === undefined) return undefined;
  const results = new Set(range.split("||").map((part) => isInPart(own, part.trim())));
  if (results.has(true)) return true;
  return results.has(undefined) ? undefined : false;
}

type Version = readonly [number, number, number];

function isInPart(version: Version, part: string): boolean | undefined {
  if (part === "" || part === "*" || part === "x") return true;
  const joined = part.replaceAll(/([<>=~^]+)\s+/g, "$1").split(/\s+/);
  const results = joined.map((comparator) => satisfies(version, comparator));
  return results.includes(undefined) ? undefined : results.every(Boolean);
}

function satisfies(version: Version, comparator: string): boolean | undefined {
  const [, operator = "", text = ""] = /^([<>]=?|=|\^|~)?v?(\d+(?:\.(?:\d+|[x*]))*)$/.exec(comparator) ?? [];
  const given = text
    .split(".")
    .filter((number) => /^\d+$/.test(number))
    .map(Number);
  const low = parse(text);
  if (low === undefined) return undefined;
  if (operator === ">=") return compare(version, low) >= 0;
  if (operator === "<") return compare(version, low) < 0;
  const end = following(low, operator === "^" ? 1 : operator === "~" ? Math.min(2, given.length) : given.length);
  if (operator === ">") return compare(version, end) >= 0;
  if (operator === "<=") return compare(version, end) < 0;
  return compare(version, low) >= 0 && compare(version, end) < 0;
}

/** The first version that differs in these first numbers. */
function following([major, minor, patch]: Version, numbers: number): Version {
  if (numbers <= 1) return [major + 1, 0, 0];
  return numbers === 2 ? [major, minor + 1, 0] : [major, minor, patch + 1];
}

function parse(text: string): Version | undefined {
  const [, major, minor = "0", patch = "0"] = /^v?(\d+)(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?/.exec(text) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor) || 0, Number(patch) || 0];
}

function compare(a: Version, b: Version): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

export function isOlder(version: string, other: string): boolean {
  const [a, b] = [parse(version), parse(other)];
  return a !== undefined && b !== undefined && compare(a, b) < 0;
}
