/** The monitoring tab with processes and samples from the test. */
import { onTestFinished } from "vitest";
import type { Sample } from "../../src/core/index.ts";
import { manualTelemetry, sample, withTelemetry, type ManualTelemetry } from "../server/socket/hand-telemetry.ts";
import { testServer, type ServerOptions, type TestServer } from "../server/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { openConsole, type Browser, type ConsoleOptions, type OpenedConsole } from "./open-console.ts";

type Metrics = Extract<Sample, { kind: "metrics" }>;

export type Made = Partial<Metrics["payload"]["processes"][number]>;

export interface HandMonitoring extends OpenedConsole {
  readonly server: TestServer;
  readonly telemetry: ManualTelemetry;
  readonly give: (processes: readonly Made[], ecosystem?: Partial<Metrics["payload"]["ecosystem"]>) => void;
}

export async function handMonitoring(
  browser: Browser,
  { server: serverOptions = {}, ...options }: ConsoleOptions & { readonly server?: ServerOptions } = {},
): Promise<HandMonitoring> {
  const telemetry = manualTelemetry({ accepts: ["dev", "staging", "production"] });
  // A refused action is recorded there.
  const env = { PM2_HOME: temporaryFolder(), ...serverOptions.env };
  const { world = (ports) => ports } = serverOptions;
  const observed = withTelemetry(telemetry);
  const server = await testServer({ ...serverOptions, world: (ports) => observed(world(ports)), env });
  const opened = await openConsole(browser, server.url, options);
  let at = Date.now();
  return {
    ...opened,
    server,
    telemetry,
    give: (processes, ecosystem) => telemetry.give(metricsOf((at += 1_000), processes, ecosystem)),
  };
}

/** Until the test ends, as a server does. */
export function keepGiving(giveOne: () => void): void {
  giveOne();
  const timer = setInterval(giveOne, 1_000);
  onTestFinished(() => clearInterval(timer));
}

const PROBLEM_STATES = {
  PROCESS_CRASH_LOOP: "crash loop",
  PROCESS_WITHOUT_PID: "missing",
} as const;

/** The state that belongs to a status or a problem of the test. */
function withState({ status, problem }: Made): Made {
  const byProblem = PROBLEM_STATES[problem?.code as keyof typeof PROBLEM_STATES];
  if (byProblem !== undefined) return { state: byProblem };
  if (status === "stopped") return { state: "stopped" };
  if (status === "errored") return { state: "errored", problem: { code: "PROCESS_ERRORED", details: GIVEN_UP } };
  return { state: status === undefined || status === "online" ? "online" : "starting" };
}

const GIVEN_UP = "PM2 has given up on it, and starts it only on request.";

/** A sample of processes; unspecified properties are those of the documented example. */
export function metricsOf(
  at: number,
  processes: readonly Made[],
  ecosystem: Partial<Metrics["payload"]["ecosystem"]> = {},
): Metrics {
  const { payload } = sample(at);
  const [example] = payload.processes;
  if (example === undefined) throw new Error("the example has no process");
  const list = processes.map((process, pmId) => ({
    ...example,
    problem: null,
    ...withState(process),
    pmId,
    name: `app-${pmId}`,
    ...process,
  }));
  const plain = { missingExpected: [], unexpected: [], drift: [] };
  return {
    kind: "metrics",
    payload: {
      ...payload,
      processes: list,
      ecosystem: { ...payload.ecosystem, ...plain, ...ecosystem },
      summary: { ...payload.summary, erroredCount: list.filter(({ status }) => status === "errored").length },
    },
  };
}
