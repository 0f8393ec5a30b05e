import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodePorts, type Ports } from "../../src/core/index.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface TestWorkspace {
  readonly root: string;
  readonly ports: Ports;
  path(file: string): string;
  read(file: string): string;
  write(file: string, text: string | Uint8Array): void;
}

export const CONFIG_FOLDER = "apps/backend-template/src/config";

/** Every editable key with its default. */
export const GOOD_ENV = [
  "# A comment",
  "SVC_HTTP_FRAMEWORK=express",
  "SVC_REALTIME_API=no",
  "SVC_REALTIME_API_PROTOCOL=websocket",
  "SVC_DATABASE_DRIVER=InMemory",
  "SVC_REALTIME_API_DATABASE_DRIVER=Mongo",
  "SVC_KEYVALUESTORAGE_DRIVER=redis",
  "SVC_MESSAGE_MEDIATOR_ADAPTER=inmemory",
  "SVC_WEBSOCKET_SOCKETIO_ADAPTER=",
  "",
].join("\n");

/** Creates a repository, which is removed after the test. `files` are relative to the root. */
export function makeWorkspace(
  files: Readonly<Record<string, string | Uint8Array>> = { [`${CONFIG_FOLDER}/.env.dev`]: GOOD_ENV },
  env: Readonly<Record<string, string>> = {},
): TestWorkspace {
  const root = temporaryFolder();
  mkdirSync(join(root, CONFIG_FOLDER), { recursive: true });
  const path = (file: string): string => join(root, file);
  const write = (file: string, text: string | Uint8Array): void => {
    mkdirSync(join(path(file), ".."), { recursive: true });
    writeFileSync(path(file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const ports = nodePorts({ root, env: { PM2_HOME: path(".pm2"), ...env }, cwd: root });
  return { root, ports, path, read: (file) => readFileSync(path(file), "utf8"), write };
}
