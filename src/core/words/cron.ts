/** Lowest and highest number of each field, from the last to the first, which has seconds. */
const RANGES = [
  [0, 7],
  [1, 12],
  [1, 31],
  [0, 23],
  [0, 59],
  [0, 59],
] as const;

/** Schedulers differ in names, `L` and `#`, but not in the ranges of numbers. */
export function isCronPattern(text: string): boolean {
  const fields = text.split(/ +/).toReversed();
  return /^@[a-z]+$/i.test(text) || ((fields.length === 5 || fields.length === 6) && fields.every(isField));
}

function isField(field: string, index: number): boolean {
  const [low, high] = RANGES[index] ?? [0, 0];
  const numbers = [...field.matchAll(/(?<![\d#/])\d+/g)].map(Number);
  return (
    /^[\w*?,/#-]+$/.test(field) && !/\/(?!0*[1-9])/.test(field) && numbers.every((one) => one >= low && one <= high)
  );
}
