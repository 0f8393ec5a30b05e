import type { ActionFrame, ActionResultFrame } from "../../core/contract/frames.ts";
import { refusedAction } from "./action-result.ts";
import type { Access, Ports } from "../../core/index.ts";

/** Carries an action out and tells how it went; a refusal is a result, too. */
export type ActionRunner = (
  frame: ActionFrame,
  grants: readonly Access[],
  environment: string | undefined,
) => Promise<ActionResultFrame>;

export function actionRunner(_ports: Ports): ActionRunner {
  return async (frame) => refusedAction(frame, "PM2_NOT_RUNNING", "not yet");
}
