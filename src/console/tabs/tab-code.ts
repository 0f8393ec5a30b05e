import type { ComponentType } from "preact";
import type { Console } from "../console.ts";
import type { Mark } from "../state/router.ts";

export interface EnvironmentChoice {
  readonly name: string;
  readonly names: readonly string[];
  readonly select: (name: string) => void;
  readonly isFixed?: boolean;
}

/** The code of a tab. */
export interface TabCode {
  readonly View: ComponentType;
  /** Reads signals, so it runs again when they change, even while the tab is closed. */
  readonly mark?: (page: Console) => Mark;
  /** Of the tab, if it is not the environment of Monitoring. */
  readonly environment?: (page: Console) => EnvironmentChoice;
}
