import type { Issue } from "../api/issue.ts";

/** Why a reboot would not bring back what runs. The room of boot decides it. */
export interface BootOutlook {
  /** Of the last look: errors only; `undefined` before it, or if svcm could not look. */
  last(): readonly Issue[] | undefined;

  look(): Promise<void>;

  /** Warnings for a plan: apps that PM2's saved list has otherwise than they run. Empty without a list. */
  apps(): Promise<Issue[]>;
}

export interface HasBootOutlook {
  readonly bootOutlook: BootOutlook;
}
