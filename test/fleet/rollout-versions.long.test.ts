/** A rollout to two nodes, one of which runs an older version of svcm, built from the history of the repository. */
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { FleetRollout } from "../../src/core/index.ts";
import { REPOSITORY } from "../support/command-line.ts";
import { hasNats } from "../support/nats-server.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { APPLY, Machines } from "./rollout-machines.ts";

const BEFORE_ROLLOUTS = "3ca7866f";
const BEFORE_SETUP = "9cc81500";
/** The former versions import it. Today's does not, so `npm install --no-save @nats-io/jetstream` makes these tests run. */
const FORMER_PACKAGE = "@nats-io/jetstream";
const hasHistory =
  existsSync(join(REPOSITORY, "node_modules", FORMER_PACKAGE)) &&
  [BEFORE_ROLLOUTS, BEFORE_SETUP].every(
    (commit) => spawnSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: REPOSITORY }).status === 0,
  );

function built(commit: string): string {
  const folder = temporaryFolder(afterAll);
  const archive = execFileSync("git", ["archive", commit], { cwd: REPOSITORY, maxBuffer: 2 ** 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  execFileSync(process.execPath, ["--import", "tsx", "scripts/build.ts"], { cwd: folder, stdio: "ignore" });
  return join(folder, "bin/run.js");
}

const FORMER = [
  ["that knows no rollouts", BEFORE_ROLLOUTS, /^INVALID_REQUEST: .*unknown member "rollout"/],
  ["that may not read the record of the rollout", BEFORE_SETUP, /^NODE_FORBIDDEN: /],
] as const;

const summaryOf = ({ nodes }: FleetRollout): string[] =>
  nodes.map(({ state, code, reason }) => (code === undefined ? state : `${state} ${code}: ${reason}`));

describe.skipIf(!hasNats || !hasHistory)(
  "a rollout with an older svcm (needs nats-server, the history and @nats-io/jetstream)",
  () => {
    test.each(FORMER)(
      "a node %s is named, and the others are reverted; after its update both apply",
      async (_, commit, reason) => {
        const both = await Machines.begun();
        await both.agent("web-1");
        const old = await both.agent("web-2", undefined, { program: built(commit) });
        both.declare("0");
        const { url } = both.fleet.server;
        expect(await both.begin(APPLY, url).ended).toMatchObject({ code: 1 });
        expect(both.starts()).toEqual(["0", ""]);
        const [first, second = ""] = summaryOf(await both.rollout("status"));
        expect([first, second.replace(/^failed /, "")]).toEqual(["returned", expect.stringMatching(reason)]);
        expect((await both.own["web-1"]!.link().list()).length).toBe(0);

        old.kill("SIGTERM");
        await once(old, "exit");
        await both.agent("web-2");
        expect(await both.begin(APPLY, url).ended).toMatchObject({ code: 0 });
        expect(both.starts()).toEqual(["0 0", "0"]);
      },
    );
  },
);
