export { environmentMark as mark } from "./editor.ts";
export { Environment as View } from "./Environment.tsx";
