import { expect, test } from "vitest";
import { detect } from "../../../../src/core/setup/detect/detect.ts";
import { proposeLayout } from "../../../../src/core/setup/detect/layout.ts";
import type { RunningApp } from "../../../../src/core/setup/detect/pm2-file.ts";

test("what runs without a PM2 file says for which environment this machine is", () => {
  const one = { name: "shop", cwd: ".", script: "server.js", environment: "production" };
  const files = new Map([[".env", "PORT=1\n"]]);
  const namesWith = (...running: RunningApp[]) =>
    Object.keys(proposeLayout(detect({ files, isCut: false }, running)).layout.environments);
  expect(namesWith(one, { ...one, name: "worker" })).toEqual(["production"]);
  expect(namesWith(one, { ...one, environment: undefined })).toEqual(["dev"]);
  expect(namesWith()).toEqual(["dev"]);
});
