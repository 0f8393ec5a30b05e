export { Activity as View } from "./Activity.tsx";
