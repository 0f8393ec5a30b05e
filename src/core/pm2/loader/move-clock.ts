/** Moves day, hour, minute, second and millisecond, and hardly ever the month. */
const SHIFT_MS = ((25 * 60 + 1) * 60 + 1) * 1000 + 1;

/** For the rest of this process, `Date` is in the future. */
export function moveClock(): void {
  const Original = Date;
  const now = (): number => Original.now() + SHIFT_MS;
  globalThis.Date = new Proxy(Original, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    apply: () => new Original(now()).toString(),
    get: (target, key, receiver) => (key === "now" ? now : (Reflect.get(target, key, receiver) as unknown)),
  });
}
