/** The texts with which a fleet begins: the server's configuration, the units, and the file with which a node joins. */
import { isIPv6 } from "node:net";
import * as z from "zod/mini";
import { SvcmError } from "../core/index.ts";
import { hostOf } from "./server-identity.ts";
import { SUBJECT_TOKEN } from "./subjects.ts";

export interface Foundation {
  readonly folder: string;
  readonly url: string;
}

const DEFAULT_PORT = "4222";

export function isEncrypted(url: string): boolean {
  return url.startsWith("tls:");
}

export function serverConfiguration({ folder, url }: Foundation): string {
  return [
    "# Made by svcm nats init. The accounts are in svcm.conf: after a change of svcm.yaml, write it again with",
    `#   svcm nats config > ${folder}/svcm.conf`,
    "# and reload the server twice: it gives a new account its streams at the second time.",
    `listen: "${isIPv6(hostOf(url)) ? "[::]" : "0.0.0.0"}:${new URL(url).port || DEFAULT_PORT}"`,
    `jetstream { store_dir: ${JSON.stringify(`${folder}/store`)} }`,
    ...(isEncrypted(url)
      ? [
          `tls { cert_file: ${JSON.stringify(`${folder}/server.pem`)}, key_file: ${JSON.stringify(`${folder}/server.key`)} }`,
        ]
      : []),
    'include "svcm.conf"',
    "",
  ].join("\n");
}

export function serverUnit({ folder }: Foundation, program: string, user: string): string {
  return unit("NATS server of svcm", user, [
    `ExecStart=${program} -c "${folder}/server.conf"`,
    // A server gives a new account its streams at the second reload.
    "ExecReload=/bin/kill -HUP $MAINPID",
    "ExecReload=/bin/sleep 1",
    "ExecReload=/bin/kill -HUP $MAINPID",
    "LimitNOFILE=65536",
  ]);
}

export interface AgentUnit {
  readonly folder: string;
  readonly root: string;
  readonly node: string;
  readonly svcm: string;
  readonly user: string;
  readonly pm2Home: string;
}

export function agentUnit({ folder, root, node, svcm, user, pm2Home }: AgentUnit): string {
  return unit("Node of a fleet of svcm", user, [
    `WorkingDirectory=${root}`,
    `EnvironmentFile=${folder}/agent.env`,
    `Environment="PM2_HOME=${pm2Home}"`,
    `ExecStart="${node}" "${svcm}" agent`,
  ]);
}

function unit(description: string, user: string, service: readonly string[]): string {
  return [
    "[Unit]",
    `Description=${description}`,
    "Wants=network-online.target",
    "After=network-online.target",
    "",
    "[Service]",
    `User=${user}`,
    ...service,
    "Restart=on-failure",
    "RestartSec=5",
    "",
    "[Install]",
    "WantedBy=multi-user.target",
    "",
  ].join("\n");
}

const joinSchema = z.strictObject({
  node: z.string().check(z.regex(SUBJECT_TOKEN)),
  url: z.string().check(z.regex(/^(?:nats|tls):\/\/[^\s@/]+$/)),
  seed: z.string().check(z.regex(/^SU[A-Z2-7]{56}$/)),
  ca: z.optional(z.string().check(z.maxLength(20_000))),
});

/** Holds the secret seed of the node. */
export type JoinFile = z.infer<typeof joinSchema>;

export function renderJoinFile(file: JoinFile): string {
  return `${JSON.stringify(file)}\n`;
}

/** @throws {SvcmError} INVALID_REQUEST */
export function parseJoinFile(text: string): JoinFile {
  try {
    return joinSchema.parse(JSON.parse(text));
  } catch {
    throw new SvcmError("INVALID_REQUEST", {
      details: "This file is not one with which a node joins. Accepted: the content of <node>.join of svcm nats init.",
    });
  }
}
