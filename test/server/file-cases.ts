/** The rows of the error table that break a file of the repository. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alone, type Case } from "./error-case.ts";
import { ask, ENV, post } from "./support.ts";

export const fileCases: readonly Case[] = [
  {
    what: "env file not text",
    kind: "ENV_FILE_FAILED",
    options: alone,
    provoke: (server) => {
      writeFileSync(server.repository.envFile("dev"), Uint8Array.from([0xff]));
      return ask(server, ENV);
    },
  },
  {
    what: "env file with an open quote",
    kind: "EDIT_REFUSED",
    options: alone,
    provoke: (server) => {
      writeFileSync(server.repository.envFile("dev"), "A='\nB=\"\nC=`\n");
      return post(server, { values: { SVC_REALTIME_API_DATABASE_DRIVER: "MS SQL" } });
    },
  },
  {
    what: "document that is null, draft with a member",
    kind: "EDIT_REFUSED",
    options: alone,
    provoke: (server) => {
      writeFileSync(join(server.repository.root, "deployments.yaml"), "null\n");
      return post(server, { document: { runtimeEnvironment: "dev" } }, {}, "/api/declarations/plan");
    },
  },
  {
    what: "ecosystem file broken",
    kind: "ECOSYSTEM_FILE_FAILED",
    options: alone,
    provoke: (server) => {
      const folder = join(server.repository.root, "pm2");
      mkdirSync(folder);
      writeFileSync(join(folder, "ecosystem.production.config.cjs"), "module.exports = { apps: [ };\n");
      return ask(server, "/api/runtime/pm2-ecosystem?environment=prod");
    },
  },
  {
    what: "audit log not writable",
    kind: "AUDIT_FAILED",
    options: alone,
    provoke: (server) => {
      mkdirSync(server.repository.auditFile, { recursive: true });
      return post(server, { values: { SVC_HTTP_FRAMEWORK: "fastify" } });
    },
  },
  {
    what: "contract broken while running",
    kind: "FACT_INVALID",
    options: alone,
    provoke: (server) => {
      mkdirSync(join(server.repository.root, "config"));
      writeFileSync(join(server.repository.root, "config/runtime-contract.yaml"), "version: 1\n");
      return ask(server, ENV);
    },
  },
  {
    what: "a file in place of the recorded history",
    kind: "HISTORY_FAILED",
    options: alone,
    provoke: (server) => {
      mkdirSync(join(server.repository.root, ".svcm"), { recursive: true });
      writeFileSync(join(server.repository.root, ".svcm/history"), "");
      return ask(server, "/api/history");
    },
  },
];
