import type * as z from "zod";

export type BodyOf<Schema extends z.core.$ZodType> = Json<z.infer<Schema>>;

type Json<T> = T extends string ? T : T extends object ? { readonly [Key in keyof T]: Json<T[Key]> } : T;
