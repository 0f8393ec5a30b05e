import { expect } from "vitest";
import { makeRepository } from "../support/git.ts";
import { svcm } from "../support/svcm.ts";
import { CONFIG_FOLDER, GOOD_ENV, makeWorkspace } from "../support/workspace.ts";
import { longTest } from "../support/runs.ts";

/** Secrets in every part of a file that must not be shown, one of each kind. */
const planted = [
  "SVC_JWT_TOKEN_SECRET_KEY=canary-jwt",
  "SVC_REDIS_PASSWORD='canary-password'",
  "SVC_RABBITMQ_URL=amqp://canary-user:canary-amqp@127.0.0.1",
  "SVC_REDIS_URL=redis://:canary-redis@127.0.0.1:6379",
  "SVC_WEBSOCKET_CLUSTER_WORKERS=canary-workers",
  "SVC_WEBSOCKET_REDIS_URL=redis://canary-user:canary-websocket@127.0.0.1:6379",
  "SVC_JWT_ISSUER=https://u:canary/issuer@example.com",
  "SVC_CORS_ALLOWED_ORIGINS=https://canary-origin:canary-origin@example.com",
  "SVC_SERVICE_MANAGEMENT_AUTH_TOKEN=canary-token",
  "OWN_SECRET=canary-own",
  "svc_redis_password=canary-case",
  "STRIPE_KEY: canary-yaml",
  "canary-stray line",
  "QUOTE='canary-open",
];

const commands = [
  "env get",
  "env get SVC_WEBSOCKET_REDIS_URL",
  "env get SVC_REDIS_PASSWORD OWN_SECRET",
  "env set SVC_HTTP_FRAMEWORK=fastify --dry-run",
  "env set SVC_WEBSOCKET_REDIS_URL=redis://127.0.0.1:6379 --dry-run",
  "env set SVC_HTTP_FRAMEWORK=fastify",
  "env set SVC_WEBSOCKET_REDIS_URL=redis://u:canary-argument@127.0.0.1:6379",
  "env set SVC_REDIS_PASSWORD=canary-argument",
  "env unset SVC_WEBSOCKET_REDIS_URL --dry-run",
  "env unset SVC_REDIS_PASSWORD OWN_SECRET",
  "env export --format shell",
  "env export --format docker",
  "env export --format json",
  "env export --all",
  "env template",
  "env template --check",
  "env diff dev staging --all",
  "env check",
  "env profile apply websocket-rest-multi-host",
  "env profile apply websocket-rest-multi-host --dry-run SVC_WEBSOCKET_REDIS_URL=redis://u:canary-argument@h",
  "startup check rest",
  "startup check websocket",
  "startup check websocket -e staging",
  "audit",
  "doctor",
  "keys list",
  "matrix show",
];

longTest("no byte of any command, or of the audit log, holds a secret", async () => {
  const text = `${GOOD_ENV}${planted.join("\n")}\n`;
  const staging = text
    .replace("SVC_REALTIME_API=no", "SVC_REALTIME_API=yes")
    .replace("ADAPTER=\n", "ADAPTER=redis-streams\n");
  const files = {
    [`${CONFIG_FOLDER}/.env.dev`]: text,
    [`${CONFIG_FOLDER}/.env.staging`]: staging,
    [`${CONFIG_FOLDER}/.env.example`]: text,
  };
  const workspace = makeWorkspace(files);
  const env = { SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: "canary-environment", SVCM_DEBUG: "1" };
  let bytes = 0;
  for (const command of commands) {
    for (const form of [[], ["--json"]]) {
      const { stdout, stderr } = await svcm([...command.split(" "), ...form], { root: workspace.root, env });
      expect(`${stdout}${stderr}`, command).not.toMatch(/canary/);
      bytes += stdout.length + stderr.length;
    }
  }
  expect(bytes).toBeGreaterThan(10_000);
  expect(workspace.read(".svcm/audit.jsonl")).toContain("SVC_HTTP_FRAMEWORK");
  expect(workspace.read(".svcm/audit.jsonl")).not.toMatch(/canary/);
  expect(workspace.read(`${CONFIG_FOLDER}/.env.dev`).match(/canary/g)).toHaveLength(
    planted.join().match(/canary/g)?.length ?? 0,
  );
});

/** Secrets in members that svcm does not know, in each form that YAML has. */
const DOCUMENT = `deployments:
  - name: a
    region: "https://u:canary-url@h"
    runtime: [{ token: canary-flow }]
    serviceType: "https://u:canary-value@h"
    deployTarget:
      secrets:
        redis: canary-map
    password: 4711canary
    apiKeys:
    - canary-list
    note: |
      first
      password: canary-text
      last
    credentials: "canary-quoted
      canary-second"
`;
const documentCommands = [
  "validate",
  "validate --format github",
  "validate --format sarif",
  "validate --format junit",
  "diff",
  "diff --format markdown",
  "targets list",
  "targets validate",
  "targets remove a --dry-run",
  "targets edit a --region eu --dry-run",
  "targets duplicate a --name b --dry-run",
];

longTest("no byte of a command about deployments.yaml holds a secret of an unknown member", async () => {
  const repository = makeRepository({ "deployments.yaml": DOCUMENT });
  repository.write(
    "deployments.yaml",
    DOCUMENT.replaceAll("canary", "canary-new").replace("name: a", "name: a\n    more: 1"),
  );
  for (const command of documentCommands) {
    const { root } = repository;
    const ran = [svcm(command.split(" "), { root }), svcm([...command.split(" "), "--json"], { root })];
    for (const { stdout, stderr } of await Promise.all(ran)) {
      expect(stdout.length + stderr.length, command).toBeGreaterThan(60);
      expect(`${stdout}${stderr}`, command).not.toMatch(/canary/);
    }
  }
});
