import { expect, test } from "vitest";
import { runningIn } from "../../../src/core/deploy/find-code.ts";
import { layoutOf } from "../../../src/core/deploy/layout.ts";
import { foreignVariables } from "../../../src/core/deploy/map-paths.ts";
import type { LoadedEcosystem } from "../../../src/core/pm2/loaded.ts";
import { runningRecord } from "../../support/counting-ports.ts";

test("a process without a folder and a script does not run in the checkout", () => {
  const place = { top: "/srv/app", layout: layoutOf("/srv/d"), realPath: (path: string) => path };
  const nowhere = runningRecord({ name: "nowhere", cwd: null, script: null });
  expect(runningIn([nowhere, runningRecord({ name: "web", cwd: "/srv/app", script: null })], place)).toEqual(["web"]);
});

test("a variable is named whose value is a folder of the checkout, or leads into it, by any of its names", () => {
  const env = { ROOT: "/srv/app", DATA: "file:/srv/live/data", NEAR: "/srv/application", PORT: 3000 };
  const loaded = { apps: [{ fields: { name: "web", env } }, { fields: { name: "worker" } }] };
  const found = foreignVariables(loaded as unknown as LoadedEcosystem, { from: ["/srv/app", "/srv/live"] });
  expect(found).toEqual(["web: ROOT", "web: DATA"]);
});
