import type codes from "../../../config/codes.json";

type Topics = typeof codes;
/** `svcm explain <code>` documents it. */
export type Code = { [Topic in keyof Topics]: keyof Topics[Topic] }[keyof Topics];

declare const foreign: unique symbol;

/** From the operating system, such as `ENAMETOOLONG`, or from another program. */
export type ForeignCode = string & { readonly [foreign]: true };

export type ErrorCode = Code | ForeignCode;

export function foreignCode(code: string): ForeignCode {
  return code as ForeignCode;
}

/** No space, or none for this user. */
export function isFullDisk(code: ErrorCode): boolean {
  return code === "ENOSPC" || code === "EDQUOT";
}
