/** Takes down what `npm start` brought up, and leaves nothing behind. */
import { endPm2 } from "./backend/pm2.ts";

await endPm2();
console.log("Nothing of the reference backend is running.");
