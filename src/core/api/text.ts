import * as z from "zod";

/** svcm writes these texts, so it does not check them again. */
export function text<T extends string>(): z.ZodType<T, T> {
  return z.string() as unknown as z.ZodType<T, T>;
}
