/** A look remembers the code of a process only if nothing was written since its start. */
import { expect, test } from "vitest";
import { changes, FILES, makeScene } from "./scenes.ts";

test("a look at a folder that may have lost code records nothing, so the next one does not say that all is the same", async () => {
  const scene = makeScene(false, { ...FILES, "lib/extra.js": "1" });
  const request = await scene.start();
  changes.remove(scene.root);
  const { records } = await scene.look(request);
  expect(records.size).toBe(0);
  expect(await scene.verdict(request)).toMatch(/^unknown: /);
});

test("a look at an unchanged folder records it, and that record shows what is gone later", async () => {
  const scene = makeScene(false, { ...FILES, "lib/extra.js": "1" });
  const request = await scene.start();
  const { records } = await scene.look(request);
  expect([...records.keys()]).toEqual([0]);
  changes.remove(scene.root);
  expect(await scene.verdict(request)).toBe("changed stale: lib/extra.js");
});
