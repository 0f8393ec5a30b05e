import type { ProcessRecord } from "./process-record.ts";

/** PM2's saved list, from which PM2 and `svcm boot restore` start the apps after a reboot. Values never leave it. */
export interface SavedLists {
  /** @param digest the one of the records that are compared with it */
  read(digest: (value: string) => string): Promise<SavedList>;

  /** Takes away the rights of other users to the lists in PM2_HOME, which hold every value. */
  makePrivate(): void;
}

export interface SavedList {
  /** `broken`: PM2 cannot parse it, and would delete it. `empty`: a list without apps. */
  readonly state: "read" | "absent" | "empty" | "broken" | "unreadable";
  readonly path: string;
  /** In milliseconds since 1970. */
  readonly savedAtMs: number | null;
  /** Files with values that other users of the machine may read. */
  readonly publicFiles: readonly string[];
  /** In the order of the list, which is also their number. */
  readonly processes: readonly SavedProcess[];
  /** The copy that svcm wrote when it last saved the list; null without one. */
  readonly copy: SavedCopy | null;
}

export interface SavedProcess extends ProcessRecord {
  /** The interpreter, if no folder of the saved PATH has it. */
  readonly missingInterpreter: string | null;
}

export interface SavedCopy {
  readonly savedAtMs: number;
  /** The list is still the one that svcm saved. */
  readonly isCurrent: boolean;
  readonly count: number;
}

export interface HasSavedLists {
  readonly savedLists: SavedLists;
}
