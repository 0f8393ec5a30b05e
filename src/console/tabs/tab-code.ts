import type { ComponentType } from "preact";
import type { Console } from "../console.ts";
import type { Mark } from "../state/router.ts";

/** The code of a tab. */
export interface TabCode {
  readonly View: ComponentType;
  /** Reads signals, so it runs again when they change, even while the tab is closed. */
  readonly mark?: (page: Console) => Mark;
  /** The environment that the tab shows or writes; by default that of Monitoring. */
  readonly environment?: (page: Console) => string;
}
