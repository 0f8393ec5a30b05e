import type { ApplyProgress } from "../../core/index.ts";

/** `[1/3] update web: done` */
export function progressText({ step, of, do: kind, app, phase }: ApplyProgress): string {
  return `[${step}/${of}] ${app === "" ? kind : `${kind} ${app}`}: ${phase}`;
}
