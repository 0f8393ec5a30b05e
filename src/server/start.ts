import { foreignCode } from "../core/api/issue.ts";
import type { FastifyInstance } from "fastify";
import {
  failureCode,
  forgetEnded,
  FileError,
  keepLogs,
  overriddenFolders,
  overrideText,
  watchBoot,
  type LogRotationResponse,
  readConsole,
  serverCaller,
  SvcmError,
  type Ports,
  layoutHint,
  folderProblem,
} from "../core/index.ts";
import { type AccessPolicy, createIdentities, type Identities } from "./access.ts";
import { buildApp } from "./app.ts";
import { requireToken, resolveBind, type Bind } from "./bind.ts";
import { canonicalAddress, canonicalHost, isLoopbackHost, PUBLIC_URL } from "./host.ts";
import type { Limits } from "./limits.ts";
import { type LogDestination, serverLog, standardError, withAuditLog, type ServerLog } from "./log.ts";
import type { ConnectFleet } from "./fleet.ts";
import type { OpenMcp } from "./mcp.ts";
import { NATS_USER_CREDENTIALS } from "../core/api/names.ts";
import { AUTH_TOKEN, HOST, PORT, readSettings, type Settings } from "./settings.ts";

const TOKENS_LOST =
  "The file of the tokens is gone. Until this server starts again, callers without a token keep the rights that they had with it. Restore the file, or create the tokens again and restart.";

export interface StartOptions {
  readonly ports: Ports;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly host?: string | undefined;
  readonly port?: string | number | undefined;
  readonly log?: LogDestination;
  readonly signal?: AbortSignal;
  readonly limits?: Partial<Limits>;
  readonly consoleDir?: string;
  /** Records the history even if `svcm.yaml` does not declare it. */
  readonly record?: boolean;
  /** Another front end of this machine, which starts with the server and ends before it. */
  readonly startAgent?: StartAgent | undefined;
  /** Called at the first request for another machine. */
  readonly connectFleet?: ConnectFleet | undefined;
  /** Called at the first request of a program. */
  readonly openMcp?: OpenMcp | undefined;
}

export type StartAgent = (ports: Ports, log: ServerLog) => Promise<{ readonly close: () => Promise<void> }>;

export interface RunningServer {
  readonly url: string;
  /** Completes requests in flight. Resolves when no connection is left. */
  close(): Promise<void>;
}

/** Resolves when the server listens. @throws {SvcmError} START_REFUSED; INVALID_REQUEST for an invalid port */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const { ports, env, version, signal } = options;
  const settings = readSettings(env, options);
  const bind = await resolveBind(settings.host);
  const token = requireToken(bind, settings.token);
  await requireFacts(ports);
  requireTokens(ports);
  await requireConfigDirectory(ports);
  const log = serverLog(settings, options.log ?? standardError());
  log.info({ version, host: bind.address, port: settings.port }, "starting");
  const policy = createPolicy(
    bind,
    settings,
    createIdentities(ports, token, () => log.warn(TOKENS_LOST)),
  );
  warnOfOpenProxy(policy, log);
  warnOfUserKey(policy, env, log);
  await warnOfUnwritableAudit(ports, log);
  await warnOfFolders(ports, log);
  const console = await readConsole(options.consoleDir);
  const publicPath = settings.publicUrl?.path ?? "";
  const { limits, connectFleet, openMcp } = options;
  const agent = await options.startAgent?.(withAuditLog(ports, log), log);
  const app = buildApp({ ports, version, policy, log, console, publicPath, limits, connectFleet, openMcp });
  const url = `http://${bind.urlHost}:${await listen(app, bind, settings.port)}`;
  log.info({ url }, "ready");
  await startRecording(ports, options.record === true, log);
  const stopCare = startCare(ports, log);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => (closing ??= closeApp());
  const closeApp = async (): Promise<void> => {
    signal?.removeEventListener("abort", onAbort);
    log.info("closing");
    await agent?.close();
    await app.close();
    await stopCare();
    await Promise.all([ports.recorder.stop(), ports.alerting.stop()]);
    await ports.telemetry.close();
    await ports.logs.close();
    await ports.processes.close();
    log.info("closed");
  };
  const onAbort = (): void => void close();
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) await close();
  return { url, close };
}

/** Without the flag or `svcm.yaml`, svcm measures only while there are clients. */
async function startRecording(
  { facts, recorder, alerting, notifier }: Ports,
  record: boolean,
  log: ServerLog,
): Promise<void> {
  const project = await facts.project();
  if (record || project?.record === true) recorder.start(record ? "flag" : "file");
  const alerts = project?.alerts;
  if (alerts === undefined) return;
  const missing = notifier.missingVariables(alerts);
  if (missing.length > 0)
    log.warn(`alerts of svcm.yaml: ${missing.join(", ")} must be set to a value for each alert to arrive.`);
  alerting.start(alerts, (error) => log.warn({ code: failureCode(error) }, alertProblem(error)));
}

/** Returns how to end it: a rotation stops after its piece. */
function startCare(ports: Ports, log: ServerLog): () => Promise<void> {
  const stop = new AbortController();
  const report = {
    done({ logs }: LogRotationResponse): void {
      for (const { path, outcome, bytes, reason } of logs)
        if (outcome === "rotated" || outcome === "finished")
          log.info({ path, bytes, code: reason?.code }, "log rotated");
        else if (reason?.code !== "LOG_ROTATED_ELSEWHERE")
          log.warn({ path, code: reason?.code }, reason?.details ?? outcome);
    },
    failed: (error: unknown): void => log.warn({ code: failureCode(error) }, "logs could not be rotated"),
  };
  const ended = Promise.all([
    keepLogs(ports, serverCaller(), report, stop.signal),
    watchBoot(ports, stop.signal),
    forgetEnded(ports, stop.signal),
  ]);
  ended.catch((error: unknown) => log.warn({ code: failureCode(error) }, "the machine could not be looked at"));
  return async () => {
    stop.abort();
    await ended.catch(() => undefined);
  };
}

function alertProblem(error: unknown): string {
  return error instanceof SvcmError ? `alert not delivered: ${error.message}` : "alerts failed";
}

/** @throws {SvcmError} START_REFUSED, and the errors of `startAgent` */
export async function startWithoutHttp<Agent extends { readonly close: () => Promise<void> }>(
  { ports, env, log: destination }: Pick<StartOptions, "ports" | "env" | "log">,
  startAgent: (ports: Ports, log: ServerLog) => Promise<Agent>,
): Promise<Agent> {
  await requireFacts(ports);
  const log = serverLog(readSettings(env), destination ?? standardError());
  const agent = await startAgent(withAuditLog(ports, log), log);
  return {
    ...agent,
    async close() {
      log.info("closing");
      await agent.close();
      await ports.telemetry.close();
      await ports.processes.close();
      log.info("closed");
    },
  };
}

function createPolicy(bind: Bind, { host, allowedHosts, publicUrl }: Settings, identities: Identities): AccessPolicy {
  const names = [...allowedHosts, canonicalAddress(bind.address), canonicalHost(host), publicUrl?.host];
  const isPublic = publicUrl !== undefined && !isLoopbackHost(publicUrl.host);
  return {
    hosts: new Set(names.filter((name) => name !== undefined)),
    ...(publicUrl !== undefined && { publicOrigin: publicUrl.origin, isBehindProxy: true }),
    isLoopback: bind.isLoopback,
    isPublic,
    identities,
  };
}

/** Every account of this machine reaches the loopback address. */
function warnOfUserKey({ identities }: AccessPolicy, env: StartOptions["env"], log: ServerLog): void {
  if ((env[NATS_USER_CREDENTIALS] ?? "").trim() === "" || identities.hasTokens()) return;
  log.warn(
    `${NATS_USER_CREDENTIALS} is set without ${AUTH_TOKEN} and without a token of svcm token create: other nodes are read-only here.`,
  );
}

function warnOfOpenProxy({ identities, isPublic }: AccessPolicy, log: ServerLog): void {
  if (!isPublic || identities.hasTokens()) return;
  log.warn(`${PUBLIC_URL} is set without ${AUTH_TOKEN}: everyone whom the proxy admits may read and write.`);
}

/** Without the audit log, reads work but changes are refused, so svcm logs a warning at the start. */
async function warnOfUnwritableAudit({ audit }: Ports, log: ServerLog): Promise<void> {
  const reason = await audit.check().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(reason instanceof FileError)) return;
  log.warn(`${reason.message} Changes will be refused. Set SVC_SERVICE_MANAGEMENT_AUDIT_FILE to another file.`);
}

async function warnOfFolders({ facts, workspace }: Ports, log: ServerLog): Promise<void> {
  const project = await facts.project();
  for (const one of project ? overriddenFolders(project, workspace.folderVariables) : []) log.warn(overrideText(one));
}

async function listen(app: FastifyInstance, bind: Bind, port: number): Promise<number> {
  try {
    await app.listen({ host: bind.address, port });
  } catch (error) {
    await app.close();
    throw listenRefusal(error, bind, port);
  }
  const address = app.server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

function listenRefusal(error: unknown, { address, urlHost }: Bind, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const refuse = (details: string) =>
    new SvcmError("START_REFUSED", { details, code: code === undefined ? code : foreignCode(code) });
  switch (code) {
    case "EADDRINUSE":
      return refuse(`Port ${port} on ${urlHost} is taken. Set --port or ${PORT} to another one; 0 takes a free one.`);
    case "EACCES":
      return refuse(`Port ${port} may not be used by this user. Set --port or ${PORT} to another one, 1024 or above.`);
    case "EADDRNOTAVAIL":
      return refuse(`This machine does not have the address ${address}. Set --host or ${HOST} to one that it has.`);
    default:
      return error;
  }
}

/** A server that cannot work as it should refuses to start. */

/** A `svcm.yaml` names the env files itself. */
async function requireConfigDirectory(ports: Ports): Promise<void> {
  const path = ports.workspace.configDir;
  if ((await ports.facts.project()) !== undefined || folderProblem(path) === undefined) return;
  const hint = await layoutHint(ports);
  throw new SvcmError("START_REFUSED", {
    details: `Service Management config directory not found: ${path}`,
    hint: hint ?? "Create it, or set SVC_SERVICE_MANAGEMENT_CONFIG_DIR to the directory of the env files.",
  });
}

async function requireFacts(ports: Ports): Promise<void> {
  try {
    await ports.facts.runtimeContract();
    await ports.facts.capabilityMatrix();
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    const { hint: _hint, source: _source, ...body } = error.body;
    throw new SvcmError("START_REFUSED", body);
  }
}

/** Without the repository's tokens, the server would start but refuse every token. */
function requireTokens({ tokens }: Ports): void {
  try {
    tokens.current();
  } catch (error) {
    if (!(error instanceof SvcmError)) throw error;
    throw new SvcmError("START_REFUSED", error.body);
  }
}
