import type * as z from "zod";

/** The JSON that a schema describes, as its readers see it: nothing may be changed. */
export type BodyOf<Schema extends z.core.$ZodType> = Json<z.infer<Schema>>;

type Json<T> = T extends object ? { readonly [Key in keyof T]: Json<T[Key]> } : T;
