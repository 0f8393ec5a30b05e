/** Deploys the checkout for `production`, and is killed before or after an event of the deploy's journal. */
import { deployRun, execute, nodePorts } from "../../../src/core/index.ts";

const [root = "", event = "", when = ""] = process.argv.slice(2);
const ports = nodePorts({ root, env: process.env, cwd: root });
const die = (): void => void process.kill(process.pid, "SIGKILL");
const deploys = await ports.deploys();
const mortal: typeof deploys = {
  ...deploys,
  open(folder) {
    const opened = deploys.open(folder);
    return {
      ...opened,
      async append(id, line) {
        if (line.event === event && when === "before") die();
        await opened.append(id, line);
        if (line.event === event) die();
      },
    };
  },
};
const world = Object.create(ports, { deploys: { value: () => Promise.resolve(mortal) } }) as typeof ports;
await execute(deployRun, world, { environment: "production" }, { source: "cli", grants: ["read", "write"] });
await ports.processes.close();
