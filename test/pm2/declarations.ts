/** A folder with what the apps of `test/fixtures/declarations` need. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { IDLE } from "../support/pm2-daemon.ts";

type Fixture = Readonly<Record<string, unknown>>;

export function fixturePath(name: "accepted" | "mistaken"): string {
  return fileURLToPath(new URL(`../fixtures/declarations/${name}.cjs`, import.meta.url));
}

export function loadFixture(name: "accepted" | "mistaken"): Fixture {
  return createRequire(import.meta.url)(fixturePath(name)) as Fixture;
}

export function writeFiles(folder: string): void {
  const at = (name: string): string => join(folder, name);
  for (const name of ["build", "with space", "logs", "releases/2"]) mkdirSync(at(name), { recursive: true });
  const scripts = ["app.cjs", "build/app.cjs", "with space/app.cjs", "releases/2/app.cjs"];
  for (const name of scripts) writeFileSync(at(name), IDLE);
  writeFileSync(at("ready.cjs"), `process.send("ready"); ${IDLE}`);
  writeFileSync(at("run.py"), "import time\ntime.sleep(1000000)\n");
  writeFileSync(at("plain"), "exec sleep 1000000\n");
  const executables = {
    shebang: `#!/usr/bin/env node\n${IDLE}`,
    "run.sh": "#!/bin/sh\nexec sleep 1000000\n",
    shim: '#!/bin/sh\nexec node app.cjs "$@"\n',
  };
  for (const [name, text] of Object.entries(executables)) {
    writeFileSync(at(name), text);
    chmodSync(at(name), 0o755);
  }
  symlinkSync("releases/2", at("current"));
  symlinkSync("build/app.cjs", at("linked.cjs"));
  const layout = "version: 1\nenvironments: { dev: [] }\ndefault: dev\necosystem: { dev: ecosystem.config.cjs }\n";
  writeFileSync(at("svcm.yaml"), layout);
  writeFileSync(at("deployments.yaml"), "rollout: { minHealthyTime: 50ms }");
}
