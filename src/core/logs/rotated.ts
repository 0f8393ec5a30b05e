/** `.1`, `-20261122`, `-20261122.gz`, and svcm's own `.20261122T080000Z-00` */
const APPENDED = /^(?:\.\d{1,6}|[-.]\d{8}(?:-\d{2,10})?|\.\d{8}T\d{6}Z-\d{2})(?:\.gz)?$/;
/** pm2-logrotate inserts this before the extension. */
const INSERTED = /^__[\d:_T.-]{8,30}$/;

export function rotatedNames(name: string, siblings: readonly string[]): string[] {
  const dot = name.lastIndexOf(".");
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ""];
  return siblings.filter((sibling) => {
    if (sibling.startsWith(name) && APPENDED.test(sibling.slice(name.length))) return true;
    const plain = sibling.replace(/\.gz$/, "");
    if (!plain.startsWith(stem) || !plain.endsWith(extension)) return false;
    return INSERTED.test(plain.slice(stem.length, plain.length - extension.length));
  });
}

const NUMBER = /\.(\d{1,6})(?:\.gz)?$/;

/** Newest first, where only the names differ: a later date, or a smaller number. */
export function compareRotated(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => NUMBER.exec(name)?.[1]);
  if (left !== undefined && right !== undefined) return Number(left) - Number(right);
  return a < b ? 1 : -1;
}

const OWN = /^\.(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-(\d\d)(\.gz|\.copying)?$/;
/** Until the head is cut off the log, its copy has this ending, and no reader counts it twice. */
export const COPYING = ".copying";
const MAX_COUNTER = 99;
/** Three characters, and prime. */
const CUT_NUMBERS = 46_649;

export interface OwnRotated {
  /** Without `.gz` or `.copying`; in the order of the lines. */
  readonly id: string;
  readonly file: string;
  readonly isCopying: boolean;
}

/** The files that svcm cut off the log, oldest first. While one is compressed, both of its files are there. */
export function ownRotated(name: string, siblings: readonly string[]): OwnRotated[] {
  const found = siblings.flatMap((file): OwnRotated[] => {
    const match = file.startsWith(name) ? OWN.exec(file.slice(name.length)) : null;
    if (match === null) return [];
    const ending = match[8] ?? "";
    return [{ id: file.slice(0, file.length - ending.length), file, isCopying: ending === COPYING }];
  });
  const plain = new Set(found.map(({ file }) => file));
  return found.filter(({ file, id }) => file === id || !plain.has(id)).toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

/** Distinguishes the cuts of a log in a cursor, which has little room; `undefined` without a cut. */
export function cutNumber(id: string): number | undefined {
  const [date, time, counter] = /(\d{8})T(\d{6})Z-(\d\d)$/.exec(id)?.slice(1).map(Number) ?? [];
  if (date === undefined || time === undefined || counter === undefined) return undefined;
  return (date * 8_640_000 + time * 100 + counter) % CUT_NUMBERS;
}

/** Later than every name that exists, even if the clock was set back. */
export function nextOwnName(name: string, siblings: readonly string[], nowMs: number): string {
  const last = ownRotated(name, siblings).at(-1);
  const [, year, month, day, hour, minute, second, counter = "0"] = OWN.exec(last?.id.slice(name.length) ?? "") ?? [];
  const lastMs = year === undefined ? 0 : Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const nowSecond = Math.floor(nowMs / 1000) * 1000;
  if (nowSecond > lastMs) return `${name}.${stamp(nowSecond)}-00`;
  if (Number(counter) >= MAX_COUNTER) return `${name}.${stamp(lastMs + 1000)}-00`;
  return `${name}.${stamp(lastMs)}-${String(Number(counter) + 1).padStart(2, "0")}`;
}

function stamp(ms: number): string {
  return new Date(ms).toISOString().replaceAll(/[-:]|\.000/g, "");
}
