/** Kinds of end under a real PM2, in fork and cluster mode: the right cause, and none certain that has two meanings. */
import { expect, test } from "vitest";
import { eventWhy, execute, type Caller, type SvcmEvent } from "../../src/core/index.ts";
import { runningPm2 } from "../support/running-pm2.ts";

const caller: Caller = { source: "cli", actor: "tester", grants: ["read", "write", "logs"] };
const { own, ports } = runningPm2();

const LATER = (code: string): string => `setTimeout(() => { ${code} }, 300);`;
const kinds: Readonly<Record<string, { code: string; fork: Partial<SvcmEvent>; cluster: Partial<SvcmEvent> }>> = {
  thrown: {
    code: LATER('throw new Error("boom")'),
    fork: { cause: "crash", certainty: "likely", exitCode: 1 },
    cluster: { cause: "crash", certainty: "likely" },
  },
  loading: {
    code: 'require("not-installed");',
    fork: { cause: "crash", certainty: "likely", exitCode: 1 },
    cluster: { cause: "crash", certainty: "likely" },
  },
  coded: {
    code: LATER("process.exit(7)"),
    fork: { cause: "crash", certainty: "likely", exitCode: 7 },
    cluster: { cause: "crash", certainty: "likely", exitCode: 7 },
  },
  killed: {
    code: LATER('process.kill(process.pid, "SIGKILL")'),
    fork: { cause: "signal", certainty: "certain", signal: "SIGKILL" },
    cluster: { cause: "signal", certainty: "certain", signal: "SIGKILL" },
  },
  zero: {
    code: LATER("process.exit(0)"),
    fork: { cause: "exit", certainty: "likely", exitCode: 0 },
    cluster: { cause: "crash", certainty: "likely" },
  },
};
const cases = Object.entries(kinds).flatMap(([name, { code, ...modes }]) =>
  (["fork", "cluster"] as const).map((mode) => ({ name: `${name}-${mode}`, mode, code, expected: modes[mode] })),
);

test.each(cases)("$name", async ({ name, mode, code, expected }) => {
  await own.run({ name, exec_mode: mode, code, max_restarts: 2, min_uptime: 600_000, pmx: true });
  const isOver = async () => (await ports.processes.list()).find((record) => record.name === name)?.status;
  await expect.poll(isOver).toBe("errored");
  const { event, processes, now } = await execute(eventWhy, ports, { name }, caller);
  expect(event).toMatchObject({ kind: "exit", ...expected });
  expect(processes).toMatchObject([{ state: "errored" }]);
  expect(now.some((sentence) => /^It probably cannot load: .* needs "not-installed", which/.test(sentence))).toBe(
    name === "loading-cluster",
  );
});
