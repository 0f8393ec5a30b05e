/** Runs an apply or a rollback of the repository. Prints a line when it begins. */
import { execute, nodePorts, rolloutApply, rolloutRollback } from "../../../src/core/index.ts";

const [root = "", operation = "", preflight = ""] = process.argv.slice(2);
const ports = nodePorts({ root, env: process.env, cwd: root });
const caller = { source: "cli", grants: ["read", "write"] } as const;
process.stdout.write("begins\n");
if (operation === "rollback") await execute(rolloutRollback, ports, {}, caller);
else await execute(rolloutApply, ports, { environment: "dev", preflight: preflight === "preflight" }, caller);
await ports.processes.close();
