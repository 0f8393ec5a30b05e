/** Takes down what `npm start` brought up, and leaves nothing behind. */
import { rmSync } from "node:fs";
import { hasDaemon, pm2, pm2Home } from "./backend/pm2.ts";

if (hasDaemon()) pm2("kill", "--silent");
rmSync(pm2Home(), { recursive: true, force: true });
console.log("Nothing of the reference backend is running.");
