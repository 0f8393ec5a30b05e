/** In release folders, `.env` is a link to the shared file. */
import { symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { detect } from "../../../../src/core/setup/detect/detect.ts";
import { nodeSurveyor } from "../../../../src/core/setup/survey.node.ts";
import { makeWorkspace } from "../../../support/workspace.ts";

test("init reads a linked env file of the repository, and names one that leads outside", async () => {
  const workspace = makeWorkspace({ "shared/.env": "A_KEY=1\n", "release/config/base.env": "PAGE_SIZE=1\n" });
  symlinkSync("config/base.env", workspace.path("release/.env"));
  symlinkSync("../shared/.env", workspace.path("release/.env.production"));
  symlinkSync("nowhere", workspace.path("release/.env.staging"));
  const { env, keys, notUnderstood } = detect(await nodeSurveyor.read(workspace.path("release")));
  expect(env.map(({ path }) => path)).toEqual([".env", "config/base.env"]);
  expect(keys.map(({ key }) => key)).toEqual(["PAGE_SIZE"]);
  expect(notUnderstood.filter(({ what }) => what.startsWith("it leads to"))).toEqual([
    {
      path: ".env.production",
      line: 1,
      what: expect.stringMatching(/shared\/\.env, outside of the repository.*shared in folders$/),
    },
  ]);
});
