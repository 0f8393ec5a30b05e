/** The work of the commands `svcm nats init` and `svcm nats join`. */
import { execFile } from "node:child_process";
import { isIP, isIPv6 } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  commandLineCaller,
  planProjectEdit,
  SvcmError,
  withAudit,
  writeSecretFile,
  type Ports,
} from "../core/index.ts";
import { createKey, openLink } from "./link.ts";
import { natsConfig } from "./nats-config.ts";
import { hostOf, OLDEST_NATS, isSupportedVersion } from "./identity.ts";
import { NATS_CA, NATS_CREDENTIALS, NATS_URL, NODE_NAME, readFleetSettings, resolveStreams } from "./settings.ts";
import * as z from "zod/mini";
import { SUBJECT_TOKEN } from "./subjects.ts";

const run = promisify(execFile);
const CERTIFICATE_DAYS = "3650";

export interface InitRequest {
  readonly url: string;
  readonly user: string;
  readonly nodes: readonly string[];
  /** The system user who runs the server. */
  readonly owner: string;
}

export interface InitResult extends Foundation {
  readonly files: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** Absent if the program is missing or too old. */
  readonly program: string | undefined;
}

/**
 * Makes the keys and the server's configuration, and declares `nats` in svcm.yaml, which is the last step.
 * @throws {SvcmError} START_REFUSED if there is a fleet already, INVALID_REQUEST, SUITE_FILE_FAILED
 */
export async function initFleet(ports: Ports, { url, user, nodes, owner }: InitRequest): Promise<InitResult> {
  await requireNoFleet(ports);
  const folder = join(ports.workspace.stateFolder, "nats");
  const foundation = { folder, url };
  const keys = new Map([user, ...nodes].map((name) => [name, createKey()] as const));
  const edit = await planProjectEdit(ports, [
    { kind: "set", path: ["nats"], value: declare({ url, user, nodes }, keys) },
  ]);
  const program = await findServer();
  const environments = Object.keys((await ports.facts.runtimeContract()).environments);
  const files: string[] = [];
  const write = async (name: string, text: string): Promise<void> => {
    await writeSecretFile(join(folder, name), text);
    files.push(name);
  };
  await write("server.conf", serverConfiguration(foundation));
  if (edit.project.nats !== undefined) await write("svcm.conf", natsConfig(edit.project.nats, environments));
  await write("svcm-nats.service", serverUnit(foundation, program ?? "/usr/sbin/nats-server", owner));
  const ca = isEncrypted(url) ? await makeCertificate(ports, foundation) : undefined;
  if (ca !== undefined) files.push("server.pem", "server.key");
  await write(`${user}.nk`, `${keys.get(user)?.seed}\n`);
  for (const node of nodes)
    await write(`${node}.join`, renderJoinFile({ node, url, seed: keys.get(node)?.seed ?? "", ...(ca && { ca }) }));
  const subject = { action: "nats.init", target: [user, ...nodes].join(", ") };
  await withAudit(ports, commandLineCaller(), subject, ({ begin }) => edit.write(begin));
  const variables = {
    [NATS_CREDENTIALS]: join(folder, `${user}.nk`),
    ...(ca !== undefined && { [NATS_CA]: join(folder, "server.pem") }),
  };
  return { ...foundation, files, variables, program };
}

async function requireNoFleet({ facts }: Ports): Promise<void> {
  if ((await facts.project())?.nats === undefined) return;
  throw new SvcmError("START_REFUSED", {
    details:
      "svcm.yaml declares nats already. Accepted: a repository without a fleet; svcm nats key makes further keys.",
  });
}

function declare(
  { url, user, nodes }: Pick<InitRequest, "url" | "user" | "nodes">,
  keys: ReadonlyMap<string, { readonly publicKey: string }>,
) {
  const nkeyOf = (name: string) => ({ nkey: keys.get(name)?.publicKey ?? "" });
  return {
    url,
    users: { [user]: { role: "admin", ...nkeyOf(user) } },
    nodes: Object.fromEntries(nodes.map((name) => [name, nkeyOf(name)])),
  };
}

/** @returns the path of a supported nats-server, if the system has one */
async function findServer(): Promise<string | undefined> {
  const paths = (process.env["PATH"] ?? "").split(":").map((one) => join(one, "nats-server"));
  for (const path of [...paths, "/opt/nats-server/nats-server"]) {
    const version = await run(path, ["--version"]).then(
      ({ stdout }) => stdout.trim().split(" v")[1],
      () => undefined,
    );
    if (isSupportedVersion(version)) return path;
  }
  return undefined;
}

/** @returns the certificate, which signs itself @throws {SvcmError} START_REFUSED without openssl */
async function makeCertificate({ files }: Ports, { folder, url }: Foundation): Promise<string> {
  const host = hostOf(url);
  const [key, file] = [join(folder, "server.key"), join(folder, "server.pem")];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", CERTIFICATE_DAYS];
  const names = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=${isIP(host) ? "IP" : "DNS"}:${host}`];
  try {
    await run("openssl", ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", file]);
  } catch (error) {
    throw new SvcmError("START_REFUSED", {
      details: `openssl could not make the certificate of ${host}: ${(error as Error).message.slice(0, 200)} Accepted: an installed openssl, or an address that begins with nats:// in a private network.`,
    });
  }
  return new TextDecoder().decode(await files.read(file, { mayBeOutside: true }));
}

export interface JoinResult {
  readonly node: string;
  readonly unit: string;
  readonly variablesFile: string;
  readonly version: string;
}

/**
 * Writes the node's key, its settings and its unit, after the NATS server has accepted the key.
 * @throws {SvcmError} START_REFUSED, FLEET_FAILED, INVALID_REQUEST if the machine has joined already
 */
export async function joinFleet(ports: Ports, file: JoinFile, user: string): Promise<JoinResult> {
  const folder = join(ports.workspace.stateFolder, "fleet");
  const [key, ca, env] = ["node.nk", "ca.pem", "agent.env"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const variables = {
    [NATS_URL]: file.url,
    [NATS_CREDENTIALS]: key,
    [NODE_NAME]: file.node,
    ...(file.ca !== undefined && { [NATS_CA]: ca }),
  };
  const settings = await readFleetSettings(ports, {}, file.url);
  requireDeclared(settings.nats.nodes, file.node);
  const link = await openLink({ ...settings, credentials: file.seed, ca: file.ca }, { kind: "node", name: file.node });
  const { version } = link;
  try {
    await link.requireSafe(resolveStreams(settings));
  } finally {
    await link.close();
  }
  const unit = join(folder, "svcm-agent.service");
  const { root, pm2Home } = ports.workspace;
  await writeSecretFile(key, `${file.seed}\n`);
  if (file.ca !== undefined) await writeSecretFile(ca, file.ca);
  const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'`);
  await writeSecretFile(env, `${lines.join("\n")}\n`);
  await writeSecretFile(unit, agentUnit({ ...ports.units.program(), folder, root, user, pm2Home }));
  return { node: file.node, unit, variablesFile: env, version };
}

function requireDeclared(nodes: Readonly<Record<string, unknown>>, node: string): void {
  if (Object.hasOwn(nodes, node)) return;
  throw new SvcmError("START_REFUSED", {
    details: `svcm.yaml on this machine declares no node ${node}. Bring the svcm.yaml that svcm nats init has changed to this machine first.`,
  });
}

/** @throws {SvcmError} START_REFUSED with what systemctl says */
export async function startUnit(unit: string): Promise<void> {
  try {
    await run("systemctl", ["enable", "--now", unit]);
  } catch (error) {
    const { stderr = "", message } = error as Error & { readonly stderr?: string };
    throw new SvcmError("START_REFUSED", {
      details: `systemctl could not start ${unit}: ${(stderr || message).trim().slice(0, 300)}`,
    });
  }
}

export const SERVER_HINT = `nats-server ${OLDEST_NATS} or newer is not installed. Debian 13 has it.`;

/** The texts with which a fleet begins: the server's configuration, the units, and the file with which a node joins. */

interface Foundation {
  readonly folder: string;
  readonly url: string;
}

const DEFAULT_PORT = "4222";

function isEncrypted(url: string): boolean {
  return url.startsWith("tls:");
}

function serverConfiguration({ folder, url }: Foundation): string {
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

function serverUnit({ folder }: Foundation, program: string, user: string): string {
  return unitText("NATS server of svcm", user, [
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

function agentUnit({ folder, root, node, svcm, user, pm2Home }: AgentUnit): string {
  return unitText("Node of a fleet of svcm", user, [
    `WorkingDirectory=${root}`,
    `EnvironmentFile=${folder}/agent.env`,
    `Environment="PM2_HOME=${pm2Home}"`,
    `ExecStart="${node}" "${svcm}" agent`,
  ]);
}

function unitText(description: string, user: string, service: readonly string[]): string {
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
type JoinFile = z.infer<typeof joinSchema>;

function renderJoinFile(file: JoinFile): string {
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
