/** A program reads, proposes, and applies what a user approved at a terminal, under a real PM2. */
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canHaveTerminal, inTerminal } from "../support/in-terminal.ts";
import { idIn, overStdio, overStdioDirectly } from "../support/mcp-client.ts";
import { longTest } from "../support/runs.ts";
import { IDLE } from "../support/pm2-daemon.ts";
import { runningPm2 } from "../support/running-pm2.ts";
import { svcm } from "../support/svcm.ts";

const { own, ports } = runningPm2();
const place = () => ({ root: own.folder, env: { PM2_HOME: own.home } });
const api = (MODE: string) => ({ name: "api", script: "./app.cjs", env: { MODE } });
const names = async () => (await ports.processes.list()).map(({ name }) => name);

function declare(mode: string): void {
  writeFileSync(join(own.folder, "app.cjs"), IDLE);
  utimesSync(join(own.folder, "app.cjs"), 1e9, 1e9);
  own.pm2Folder([api(mode)]);
}

test.skipIf(!canHaveTerminal)("a proposed plan runs once, after a user typed the environment", async () => {
  declare("1");
  const program = await overStdio(place(), "--allow", "plan");
  const proposed = await program.call("propose", { kind: "apply", environment: "dev", reason: "api is missing" });
  expect(proposed).toMatchObject({ isError: false });
  expect(proposed.data).toContain("+ api: start");
  const id = idIn(proposed);
  expect((await program.call("apply", { id })).words).toMatch(/PROPOSAL_NOT_APPROVED/);
  expect(await names()).toEqual([]);

  const refused = await svcm(["approve", id], place());
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining("APPROVAL_NEEDS_USER")]);
  const wrong = await inTerminal({ root: own.folder }, ["approve", id], [["to go on:", "yes\r"]], place().env);
  expect([wrong.status, wrong.screen]).toEqual([1, expect.stringContaining("Nothing was changed.")]);
  const approved = await inTerminal({ root: own.folder }, ["approve", id], [["to go on:", "dev\r"]], place().env);
  expect(approved).toMatchObject({ status: 0, screen: expect.stringContaining(`Approved ${id}.`) });
  expect(approved.screen).toContain('The program says: "api is missing"');
  expect(await names()).toEqual([]);

  const applied = await program.call("apply", { id });
  expect(applied.words).toMatch(/is done/);
  expect(await names()).toEqual(["api"]);
  expect((await program.call("apply", { id })).words).toMatch(/PROPOSAL_ENDED/);

  const { stdout } = await svcm(["audit", "--calls", "--json"], place());
  const { records } = JSON.parse(stdout) as { records: Record<string, string>[] };
  const calls = records
    .filter(({ action }) => action === "mcp.call")
    .map(({ target, outcome, client }) => [target, outcome, client]);
  expect(calls.toReversed()).toEqual([
    ["propose", "succeeded", "an editor"],
    ["apply", "refused", "an editor"],
    ["apply", "succeeded", "an editor"],
    ["apply", "refused", "an editor"],
  ]);
  expect(records.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["proposal.create", "proposal.approve", "proposal.run", "plan.apply"]),
  );
  const empty = await program.call("propose", { kind: "apply", environment: "dev" });
  expect([empty.words, empty.data]).toEqual([
    expect.stringContaining("PROPOSAL_EMPTY"),
    expect.stringContaining("The plan of dev has no step."),
  ]);
});

longTest.skipIf(!canHaveTerminal)(
  "a plan that changed or was denied after the proposal is refused, and so is the terminal of the program",
  async () => {
    declare("2");
    const program = await overStdioDirectly(place(), "--allow", "plan");
    const id = idIn(await program.call("propose", { kind: "apply", environment: "dev" }));
    const self = await inTerminal({ root: own.folder }, ["approve", id], [["to go on:", "dev\r"]], place().env);
    expect([self.status, self.screen]).toEqual([3, expect.stringContaining("APPROVAL_SELF")]);

    const other = await overStdio(place(), "--allow", "plan");
    const stale = idIn(await other.call("propose", { kind: "apply", environment: "dev" }));
    declare("3");
    const late = await inTerminal({ root: own.folder }, ["approve", stale], [["to go on:", "dev\r"]], place().env);
    expect([late.status, late.screen]).toEqual([1, expect.stringContaining("PROPOSAL_STALE")]);
    expect((await other.call("apply", { id: stale })).words).toMatch(/PROPOSAL_ENDED/);

    const denied = idIn(await other.call("propose", { kind: "apply", environment: "dev" }));
    const person = await inTerminal({ root: own.folder }, ["approve", denied], [["to go on:", "dev\r"]], place().env);
    expect(person).toMatchObject({ status: 0 });
    const before = (await ports.processes.list()).map(({ pid }) => pid);
    expect((await svcm(["deny", denied], place())).stdout).toBe(`Denied ${denied}. It never runs.\n`);
    expect((await other.call("apply", { id: denied })).words).toMatch(/PROPOSAL_ENDED/);
    expect((await ports.processes.list()).map(({ pid }) => pid)).toEqual(before);
  },
);
