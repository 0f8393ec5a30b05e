import type { Code } from "./codes.generated.ts";

declare const foreign: unique symbol;

/** From the operating system, such as `ENAMETOOLONG`, or from another program. */
export type ForeignCode = string & { readonly [foreign]: true };

export type ErrorCode = Code | ForeignCode;

export function foreignCode(code: string): ForeignCode {
  return code as ForeignCode;
}
