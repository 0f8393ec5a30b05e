import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serve } from "../support/svcm.ts";
import { GOOD_ENV, CONFIG_FOLDER, makeWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

const workspace = () => makeWorkspace({ [`${CONFIG_FOLDER}/.env.dev`]: GOOD_ENV });

test.skipIf(process.platform !== "linux")("svcm serve --open opens the address of the console", async () => {
  const { root } = workspace();
  const opened = join(root, "opened");
  execFileSync("mkfifo", [opened]);
  writeFileSync(join(root, "xdg-open"), `#!/bin/sh\nprintf '%s' "$1" > ${opened}\n`, { mode: 0o755 });
  const { url, stop } = await serve({ root, env: { PATH: `${root}:${process.env["PATH"]}` } }, "--open");
  expect(await readFile(opened, "utf8")).toBe(url);
  expect(await stop()).toBe(0);
});

longTest.skipIf(process.platform !== "linux")("svcm serve --open without a browser names the address", async () => {
  const { root } = workspace();
  const { url, log, stop } = await serve({ root, env: { PATH: root } }, "--open");
  expect(await stop()).toBe(0);
  expect(log()).toContain(`xdg-open is not installed. Open ${url}`);
});
