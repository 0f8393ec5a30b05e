/** A full disk of this machine is not a source that cannot be reached. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runGit } from "../../../src/core/deploy/machine/git.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

test.each([
  ["error: unable to write loose object file: No space left on device", "DEPLOY_NO_SPACE"],
  ["remote: fatal: write error: No space left on device", "DEPLOY_FETCH_FAILED"],
])("git says %s: %s", async (line, code) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/git"), `#!/bin/sh\necho "${line}" >&2\nexit 128\n`, { mode: 0o755 });
  const place = { root: folder, repository: folder, env: { PATH: `${join(folder, "bin")}:${process.env["PATH"]}` } };
  const source = { kind: "path", url: "/srv/origin", settings: [] } as never;
  await expect(runGit(place, ["fetch"], { source })).rejects.toMatchObject({
    kind: "DEPLOY_IMPOSSIBLE",
    body: { code },
  });
});
