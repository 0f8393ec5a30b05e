/** `.1`, `-20261122`, `-20261122.gz` */
const APPENDED = /^(?:\.\d{1,6}|[-.]\d{8}(?:-\d{2,10})?)(?:\.gz)?$/;
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
