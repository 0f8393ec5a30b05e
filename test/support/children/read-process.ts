/** Reads one process of another user, and prints the result. */
import { nodeMachine } from "../../../src/core/metrics/machine/index.ts";

const pid = Number(process.argv[2]);
const machine = await nodeMachine({ diskPaths: [] }).openReader();
console.log(JSON.stringify((await machine.processes([pid])).get(pid) ?? null));
machine.close();
