import type { Console } from "../../console.ts";
import { previewOf } from "./preview.ts";

export { Pm2 as View } from "./Pm2.tsx";

export function environment(page: Console): string {
  return previewOf(page).environment.value;
}
