import * as z from "zod/mini";

export const processName = z.string().check(z.minLength(1), z.maxLength(200));
export const timeoutMs = z.optional(z.int().check(z.minimum(1000), z.maximum(3_600_000)));
/** Of times in milliseconds since 1970. A query parameter may be an age or a date instead. */
export const TIME_FORMAT = "epoch-milliseconds";
