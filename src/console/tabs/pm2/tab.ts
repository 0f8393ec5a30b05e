export { Pm2 as View } from "./Pm2.tsx";
