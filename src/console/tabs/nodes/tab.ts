export { Nodes as View } from "./Nodes.tsx";
