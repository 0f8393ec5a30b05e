/** Units are enabled by programs of systemd, which are played here. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { nodeUnits } from "../../../src/core/boot/units.node.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** No user of a machine has it. */
const UID = 3_999_999_001;
const RUNTIME = `/run/user/${UID}`;

function programs(texts: Readonly<Record<string, string>>): void {
  const bin = temporaryFolder();
  for (const [name, text] of Object.entries(texts))
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  vi.stubEnv("PATH", `${bin}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test.runIf(process.getuid?.() === 0)(
  "a unit of a user who begins to linger is enabled when the manager of that user has started (needs root)",
  async () => {
    const folder = temporaryFolder();
    const calls = join(folder, "calls");
    onTestFinished(() => rmSync(RUNTIME, { recursive: true, force: true }));
    mkdirSync(`${RUNTIME}/systemd`, { recursive: true });
    programs({
      // The manager takes its time.
      loginctl: `echo "loginctl $*" >> ${calls}; (sleep 0.3; : > ${RUNTIME}/systemd/private) > /dev/null 2>&1 &`,
      systemctl: `[ -e ${RUNTIME}/systemd/private ] || exit 1; echo "systemctl $*" >> ${calls}`,
    });
    const user = { name: "deploy", uid: UID, folder };
    const unit = { name: "svcm.service", scope: "user", text: "[Unit]\n", user, replaced: [], linger: true } as const;
    await nodeUnits({ env: {} }).enable(unit);
    expect(readFileSync(calls, "utf8").trim().split("\n")).toEqual([
      "loginctl enable-linger deploy",
      "systemctl --user daemon-reload",
      "systemctl --user daemon-reload",
      "systemctl --user enable svcm.service",
    ]);
    expect(readFileSync(join(folder, ".config/systemd/user/svcm.service"), "utf8")).toBe("[Unit]\n");
  },
);
