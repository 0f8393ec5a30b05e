import { basename, dirname, join } from "node:path";

const beside = (target: string, suffix: string) => join(dirname(target), `.${basename(target)}.svcm-${suffix}`);

export const lockName = (target: string) => beside(target, "lock");
export const claimName = (lock: string, nonce: string) => `${lock}.${nonce}`;
export const successorName = (lock: string, nonce: string) => `${lock}.${nonce}.next`;
export const temporaryName = (target: string, nonce: string) => beside(target, `new.${nonce}`);
