/** The first look at processes that svcm did not start: verdicts come first, then the records. */
import { expect, test } from "vitest";
import { judgeApp, readStarted } from "../../../../src/core/running/evidence/inspect.ts";
import { StartClock } from "../../../../src/core/running/evidence/process-start.ts";
import { RecordStore } from "../../../../src/core/running/evidence/record-store.ts";
import { readFolder, Unit } from "../../../../src/core/running/evidence/unit.ts";
import { Budget } from "../../../../src/core/running/evidence/walk.ts";
import type { AppCode, CodeRequest } from "../../../../src/core/running/port-running-code.ts";
import { serviceFolder } from "../../../../src/core/project/service-folder.node.ts";
import { makeScene, textOf, write, type Scene } from "./scenes.ts";

/** As a look does, with a pause before the records. */
async function judge(
  { root, home }: Scene,
  request: CodeRequest,
  problem: string | null = null,
): Promise<() => AppCode> {
  const [store, budget] = [new RecordStore(serviceFolder(home, root)), new Budget(10_000)];
  const unit = new Unit(request, { root, budget, read: (one) => readFolder(one, { store, budget }), ownOf: () => [] });
  const context = { unit, imports: [], problem, repository: undefined, store, seen: undefined };
  return await judgeApp(request, readStarted(request, { clock: new StartClock(), store }), context);
}

test("a file that is written between the look and the record is not recorded as what the process started with", async () => {
  const scene = makeScene(false);
  const request = await scene.start();
  const finish = await judge(scene, request);
  write(scene.root, { "lib/mod.js": "2" });
  const app = finish();
  expect([textOf(app), app.records.size]).toEqual(["same", 0]);
  expect(await scene.verdict(request)).toBe("changed stale: lib/mod.js");
});

test("where nothing is written, the record is kept, and a later change is one of content", async () => {
  const scene = makeScene(false);
  const request = await scene.start();
  const app = (await judge(scene, request))();
  expect([textOf(app), app.records.size]).toEqual(["same", 1]);
  write(scene.root, { "lib/mod.js": "2" });
  expect(await scene.verdict(request)).toBe("changed stale: lib/mod.js");
  write(scene.root, { "lib/mod.js": "1" });
  expect(await scene.verdict(request)).toBe("same");
});

test("where the files that its programs name were not all sought, nothing says that they are the same", async () => {
  const scene = makeScene(false);
  const app = (await judge(scene, await scene.start(), "its files could not be read within 2 s"))();
  expect(textOf(app)).toMatch(/^unknown: its files could not be read within 2 s/);
});
