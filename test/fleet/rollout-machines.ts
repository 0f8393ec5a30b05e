/** Two machines of a rollout: real svcm processes and real PM2s. Their apps count their starts. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { FleetRollout } from "../../src/core/index.ts";
import { plainEnvironment, RUN } from "../support/command-line.ts";
import { pm2, type Pm2 } from "../support/pm2-daemon.ts";
import { svcm } from "../support/svcm.ts";
import { testFleet, type FleetOptions, type TestFleet } from "./support.ts";

const ECOSYSTEM = "pm2/ecosystem.dev.config.cjs";
export const NODES = ["web-1", "web-2"] as const;
/** The app is ready when the file in HELD exists, or immediately. */
const SCRIPT = `
const { appendFileSync, existsSync } = require("node:fs");
const { HELD, MODE } = process.env;
appendFileSync("starts", MODE + "\\n");
const look = () => (HELD && !existsSync(HELD) ? setTimeout(look, 10) : process.send("ready"));
look();
setInterval(() => {}, 1e6);`;
export const APPLY = ["apply", "--node", "role=web", "--yes"];
export const MS = 60_000;

export interface Launch {
  readonly prefix?: readonly string[];
  /** The svcm of another version. */
  readonly program?: string;
}

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

export class Machines {
  readonly fleet: TestFleet;
  readonly own: Readonly<Record<string, Pm2>>;

  private constructor(fleet: TestFleet, own: Readonly<Record<string, Pm2>>) {
    this.fleet = fleet;
    this.own = own;
  }

  static async begun(options: FleetOptions = {}): Promise<Machines> {
    const fleet = await testFleet({ ecosystem: ECOSYSTEM, ...options });
    const own: Record<string, Pm2> = {};
    for (const node of NODES) {
      const one = (own[node] = pm2());
      onTestFinished(() => one.end());
      await one.startDaemon();
      const root = fleet.root(node);
      writeFileSync(join(root, "deployments.yaml"), "rollout: { minHealthyTime: 100ms }");
      writeFileSync(join(root, "app.cjs"), SCRIPT);
      writeFileSync(join(root, "starts"), "");
    }
    return new Machines(fleet, own);
  }

  /** Starts the node in a process. @param url of the server, as the node reaches it */
  async agent(node: string, url = this.fleet.server.url, how: Launch = {}): Promise<ChildProcess> {
    const env = { PM2_HOME: this.own[node]!.home, SVC_SERVICE_MANAGEMENT_NATS_URL: url };
    const child = this.#launch(node, ["agent"], env, how);
    const [output, errors] = [[] as string[], [] as string[]];
    child.stderr!.on("data", (chunk) => errors.push(String(chunk)));
    for await (const chunk of child.stdout!) {
      output.push(String(chunk));
      if (output.join("").includes("in the fleet")) break;
    }
    child.stdout!.resume();
    while (!(await this.#isThere(node)))
      if (child.exitCode !== null) throw new Error(`The agent has ended: ${[...output, ...errors].join("")}`);
    return child;
  }

  async #isThere(node: string): Promise<boolean> {
    const { stdout } = await this.as("adam", "nodes", "show", node, "--json");
    return stdout.includes('"online"');
  }

  /** Declares this mode on all nodes. @param held a file: the app is ready when it exists */
  declare(mode: string, held?: string): void {
    for (const node of NODES) {
      const cwd = this.fleet.root(node);
      const app = {
        name: "restapi",
        script: "./app.cjs",
        cwd,
        wait_ready: true,
        listen_timeout: MS,
        env: { MODE: mode, ...(held !== undefined && { HELD: held }) },
      };
      mkdirSync(join(cwd, "pm2"), { recursive: true });
      writeFileSync(join(cwd, ECOSYSTEM), `module.exports = ${JSON.stringify({ apps: [app] })};`);
      writeFileSync(join(cwd, "starts"), "");
    }
  }

  starts(): string[] {
    return NODES.map((node) =>
      readFileSync(join(this.fleet.root(node), "starts"), "utf8")
        .trim()
        .replaceAll("\n", " "),
    );
  }

  as(user: string, ...args: string[]) {
    return svcm(args, { root: this.fleet.root(user), env: this.fleet.variables(user) });
  }

  async rollout(...args: string[]): Promise<FleetRollout> {
    const { stdout, stderr } = await this.as("adam", "rollout", ...args, "--json");
    const { rollout } = JSON.parse(stdout) as { rollout: FleetRollout | null };
    if (rollout === null) throw new Error(stdout + stderr);
    return rollout;
  }

  /** Runs svcm as the user edda. @param url of the server, as edda reaches it */
  begin(
    args: readonly string[],
    url: string,
    how: Launch = {},
  ): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
    const child = this.#launch("edda", args, { SVC_SERVICE_MANAGEMENT_NATS_URL: url }, how);
    const chunks: string[] = [];
    for (const stream of [child.stdout!, child.stderr!]) stream.on("data", (chunk) => chunks.push(String(chunk)));
    const ended = once(child, "close").then(([code]) => ({ code: code as number | null, output: chunks.join("") }));
    return { child, ended };
  }

  #launch(
    name: string,
    args: readonly string[],
    more: Readonly<Record<string, string>>,
    { prefix = [], program = RUN }: Launch,
  ): ChildProcess {
    const root = this.fleet.root(name);
    const env = plainEnvironment({ HOME: root, ...this.fleet.variables(name), ...more });
    const [first = "", ...rest] = [...prefix, process.execPath, program, ...args];
    const child = spawn(first, rest, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child;
  }
}
