import type { Console } from "../../console.ts";
import { editorOf } from "./editor.ts";

export { environmentMark as mark } from "./editor.ts";
export { Environment as View } from "./Environment.tsx";

export function environment(page: Console): string {
  return editorOf(page).environment.value;
}
