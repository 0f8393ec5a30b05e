import type { Code } from "./codes.generated.ts";

declare const foreign: unique symbol;

/** A code that the catalogue may not document: of the operating system, such as `ENAMETOOLONG`, or of another program. */
export type ForeignCode = string & { readonly [foreign]: true };

/** The code of a refusal. */
export type ErrorCode = Code | ForeignCode;

export function foreignCode(code: string): ForeignCode {
  return code as ForeignCode;
}
