/** Applies the ecosystem file of `dev`, and is killed before or after the line of the journal with that number. */
import { execute, nodePorts, rolloutApply } from "../../../src/core/index.ts";

const [root = "", line = "", when = ""] = process.argv.slice(2);
const ports = nodePorts({ root, env: process.env, cwd: root });
const { releases } = ports;
let lines = 0;
const die = (): void => void process.kill(process.pid, "SIGKILL");
const beside = async (write: () => Promise<void>): Promise<void> => {
  lines += 1;
  if (lines === Number(line) && when === "before") die();
  await write();
  if (lines === Number(line)) die();
};
const mortal = {
  ...releases,
  create: (...args: Parameters<typeof releases.create>) => beside(() => releases.create(...args)),
  append: (...args: Parameters<typeof releases.append>) => beside(() => releases.append(...args)),
};
const world = Object.create(ports, { releases: { value: mortal } }) as typeof ports;
await execute(rolloutApply, world, { environment: "dev" }, { source: "cli", grants: ["read", "write"] });
await ports.processes.close();
process.stdout.write(`${lines}\n`);
