export { Plan as View } from "./Plan.tsx";
