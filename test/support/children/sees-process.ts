/** Prints if this user may see what the process with the pid of the first argument has open. */
import { isHidden } from "../../../src/core/metrics/machine/listeners.ts";

process.stdout.write(`${isHidden(Number(process.argv[2])) ? "hidden" : "seen"}\n`);
