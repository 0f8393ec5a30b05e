import * as z from "zod";

export type BodyOf<Schema extends z.core.$ZodType> = Json<z.infer<Schema>>;

type Json<T> = T extends string ? T : T extends object ? { readonly [Key in keyof T]: Json<T[Key]> } : T;

/** svcm writes these texts, so it does not check them again. */
export function trustedText<T extends string>(): z.ZodType<T, T> {
  return z.string() as unknown as z.ZodType<T, T>;
}
