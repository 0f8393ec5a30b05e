import type { LoadPurpose } from "../port-ecosystems.ts";

/** Each purpose with its additions to a plain run of the file. */
const PURPOSES: Readonly<Record<LoadPurpose, { readonly asksPm2: boolean; readonly movesClock: boolean }>> = {
  read: { asksPm2: false, movesClock: false },
  judge: { asksPm2: true, movesClock: false },
  repeat: { asksPm2: false, movesClock: true },
  review: { asksPm2: true, movesClock: true },
};

export const asksPm2 = (purpose: LoadPurpose): boolean => PURPOSES[purpose].asksPm2;
export const movesClock = (purpose: LoadPurpose): boolean => PURPOSES[purpose].movesClock;
