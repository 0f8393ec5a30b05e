import { expect, test } from "vitest";
import { loadedPaths } from "../../../src/core/running/loaded-paths.ts";

const app = { args: [], cwd: "/srv/app", env: {}, interpreter: "node", interpreterArgs: [] };

test.each([
  ["a module before the script", { interpreterArgs: ["--require", "./first.js"] }, ["/srv/app/first.js"], []],
  ["with an equals sign", { interpreterArgs: ["--import=../shared/trace.mjs"] }, ["/srv/shared/trace.mjs"], []],
  ["as the URL of a file", { interpreterArgs: ["--import", "file:///opt/trace.mjs"] }, ["/opt/trace.mjs"], []],
  ["in NODE_OPTIONS", { env: { NODE_OPTIONS: "-r /opt/trace.js --inspect" } }, ["/opt/trace.js"], []],
  ["a program as argument", { args: ["run", "../jobs/main.ts", "/var/lib/app"] }, ["/srv/jobs/main.ts"], []],
  ["folders of modules", { env: { NODE_PATH: "lib:/opt/lib" } }, [], ["/srv/app/lib", "/opt/lib"]],
  ["an interpreter of the team", { interpreter: "./bin/run" }, ["/srv/app/bin/run"], []],
  ["an interpreter of the system", { interpreter: "/usr/local/bin/node" }, [], []],
  ["an env file, which is compared by its values", { interpreterArgs: ["--env-file=./a/.env"] }, [], []],
])("%s", (_name, more, files, folders) => {
  const found = loadedPaths({ ...app, ...more });
  expect(found.files).toEqual(expect.arrayContaining(files));
  expect(found.files.filter((path) => !path.includes("env"))).toHaveLength(files.length);
  expect(found.folders).toEqual(folders.map((folder) => (folder.startsWith("/") ? folder : `/srv/app/${folder}`)));
});
