/** The streams are in an account without users. A key reaches them by the services that its account imports. */

import {
  headers,
  NoRespondersError,
  type NatsConnection,
  PermissionViolationError,
  TimeoutError,
} from "@nats-io/transport-node";
import { SvcmError } from "../core/index.ts";
import { importedApi, type RequestKind, type StreamVerb } from "./subjects.ts";

const TIMEOUT_MS = 5_000;
const NO_MESSAGE = 10_037;
const STREAM_NOT_FOUND = 10_059;
const WRONG_NUMBER = 10_071;

/** A request fails at once if there is no connection or if the connection is lost. */
export type Exchange = <T>(send: () => Promise<T>) => Promise<T>;

export interface Stored {
  readonly subject: string;
  readonly seq: number;
  /** By the clock of the server, in milliseconds since 1970. */
  readonly storedAtMs: number;
  readonly data: Uint8Array;
  /** True if the server has compared it with the number that its writer expected in the stream. */
  readonly isExpected: boolean;
}

export type Query = { readonly last_by_subj: string } | { readonly seq: number; readonly next_by_subj: string };

export interface StreamInfo {
  readonly config: Readonly<Record<string, unknown>>;
  readonly state: {
    readonly first_seq: number;
    readonly last_seq: number;
    readonly first_ts: string;
    readonly subjects?: Readonly<Record<string, number>>;
  };
}

/** Of the whole stream, or of the subject. */
export type Expected = { readonly inStream: number } | { readonly inSubject: number };

/** All throw FLEET_FAILED, with FLEET_NOT_SET_UP if there is no stream; FORBIDDEN. */
export interface StreamApi {
  /** `undefined` if there is no stream. */
  info(stream: string, subjects?: string): Promise<StreamInfo | undefined>;
  requireInfo(stream: string, subjects?: string): Promise<StreamInfo>;
  get(stream: string, query: Query): Promise<Stored | undefined>;
  /** @returns the number of the message, or `undefined` if another message is the newest */
  store(stream: string, subject: string, data: Uint8Array | string, expected: Expected): Promise<number | undefined>;
  define(verb: "CREATE" | "UPDATE", config: { readonly name: string }): Promise<void>;
}

export function openStreamApi(connection: NatsConnection, exchange: Exchange): StreamApi {
  const call = async <T>(verb: StreamVerb, stream: string, body: object): Promise<T> => {
    const message = await request(connection, importedApi(verb, stream), JSON.stringify(body));
    const answer = message.json<T & Answer>();
    if (answer.error !== undefined) throw new StreamRefusal(answer.error);
    return answer;
  };
  const info: StreamApi["info"] = (stream, subjects) =>
    exchange(() =>
      call<StreamInfo>("INFO", stream, subjects === undefined ? {} : { subjects_filter: subjects }).catch(
        unless(STREAM_NOT_FOUND),
      ),
    );
  return {
    info,
    async requireInfo(stream, subjects) {
      const found = await info(stream, subjects);
      if (found === undefined) throw notSetUp();
      return found;
    },
    get: (stream, query) =>
      exchange(async () => {
        const found = await call<{ message: Message }>("MSG.GET", stream, query).catch(unless(NO_MESSAGE));
        return found && toStored(found.message);
      }).catch(asNotSetUp),
    store: (stream, subject, data, expected) =>
      exchange(async () => {
        const answer = await request(connection, subject, data, expectation(expected)).catch(async (error: unknown) => {
          // Nothing takes the subject: there is no stream, or the server is still starting.
          await call("INFO", stream, {});
          throw error;
        });
        const { error, seq } = answer.json<Answer & { readonly seq?: number }>();
        if (error?.err_code === WRONG_NUMBER) return undefined;
        if (error !== undefined) throw new StreamRefusal(error);
        return seq;
      }).catch(asNotSetUp),
    define: (verb, config) => exchange(async () => void (await call(verb, config.name, config))),
  };
}

interface Answer {
  readonly error?: { readonly err_code: number; readonly description: string };
}

interface Message {
  readonly subject: string;
  readonly seq: number;
  readonly time: string;
  readonly data?: string;
  readonly hdrs?: string;
}

class StreamRefusal extends SvcmError {
  readonly number: number;

  constructor({ err_code, description }: NonNullable<Answer["error"]>) {
    super("FLEET_FAILED", { code: "STREAMS_REFUSED", details: `The NATS server refused it: ${description}.` });
    this.number = err_code;
  }
}

async function request(
  connection: NatsConnection,
  subject: string,
  data: Uint8Array | string,
  more?: ReturnType<typeof headers>,
) {
  try {
    return await connection.request(subject, data, { timeout: TIMEOUT_MS, ...(more && { headers: more }) });
  } catch (error) {
    if (!(error instanceof NoRespondersError || (error as Error).cause instanceof NoRespondersError)) throw error;
    throw new SvcmError("FLEET_FAILED", {
      code: "STREAMS_UNREACHABLE",
      details:
        "The NATS server does not answer for its streams: it is still starting, has no JetStream, or lacks the newest output of svcm nats config. After a new user or node, it needs two reloads.",
    });
  }
}

function expectation(expected: Expected): ReturnType<typeof headers> {
  const made = headers();
  if ("inStream" in expected) made.set(EXPECTED_IN_STREAM, String(expected.inStream));
  else made.set("Nats-Expected-Last-Subject-Sequence", String(expected.inSubject));
  return made;
}

const EXPECTED_IN_STREAM = "Nats-Expected-Last-Sequence";

function toStored({ subject, seq, time, data = "", hdrs = "" }: Message): Stored {
  const isExpected = Buffer.from(hdrs, "base64").toString("latin1").includes(`${EXPECTED_IN_STREAM}:`);
  return { subject, seq, storedAtMs: Date.parse(time), data: Buffer.from(data, "base64"), isExpected };
}

function unless(number: number): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof StreamRefusal) || error.number !== number) throw error;
  };
}

function asNotSetUp(error: unknown): never {
  throw error instanceof StreamRefusal && error.number === STREAM_NOT_FOUND ? notSetUp() : error;
}

function notSetUp(): SvcmError {
  return new SvcmError("FLEET_FAILED", {
    code: "FLEET_NOT_SET_UP",
    details:
      "The NATS server is not set up for the nodes, their events and the lock of rollouts. An admin sets it up once: svcm nats setup",
  });
}

export function connectError(error: unknown, servers: readonly string[]): SvcmError {
  const { message, name } = error as Error;
  const where = redactServers(servers).join(", ");
  if (/certificate|\btls\b/i.test(message))
    return new SvcmError("FLEET_FAILED", {
      code: "FLEET_UNTRUSTED",
      details: `The NATS server at ${where} is not trusted: ${message.slice(0, 200)}. Accepted: a certificate with the host of the address, signed by a known authority or by the one of SVC_SERVICE_MANAGEMENT_NATS_CA.`,
    });
  const isRefused = /auth|credentials/i.test(`${name} ${message}`);
  return isRefused
    ? new SvcmError("FLEET_FAILED", {
        code: "FLEET_REFUSED",
        details: `The NATS server at ${where} does not accept the credentials. SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS names their file.`,
      })
    : new SvcmError("FLEET_FAILED", {
        code: "FLEET_UNREACHABLE",
        details: `No NATS server answers at ${where}. Start it, or name another one with --nats or SVC_SERVICE_MANAGEMENT_NATS_URL.`,
      });
}

export function redactServers(servers: readonly string[]): string[] {
  return servers.map((server) => server.replace(/\/\/[^@/]*@/, "//"));
}

const CONNECTION_LOST = "The connection to the NATS server was lost.";

export function connectionLost(): SvcmError {
  return unreachableError(CONNECTION_LOST);
}

/** Without an answer, the outcome of a change is not known. */
export function withOutcome(error: unknown, kind: RequestKind): unknown {
  if (!(error instanceof SvcmError) || kind === "read") return error;
  const isOpen = error.body.code === "NODE_TIMEOUT" || error.message === CONNECTION_LOST;
  if (!isOpen) return error;
  return new SvcmError(error.kind, { ...error.body, details: `${error.message} A change may still be in progress.` });
}

/** @returns a refusal unchanged */
export function requestError(error: unknown): SvcmError {
  if (error instanceof SvcmError) return error;
  const is = (kind: new (...args: never[]) => Error): boolean =>
    error instanceof kind || (error as Error).cause instanceof kind;
  if (is(NoRespondersError))
    return unreachableError(
      "No svcm answers on that node, or the NATS server lacks the newest output of svcm nats config.",
    );
  if (is(PermissionViolationError))
    return new SvcmError("FORBIDDEN", {
      code: "NODE_FORBIDDEN",
      details: "The NATS server does not permit this request to this user.",
    });
  if (is(TimeoutError))
    return new SvcmError("FLEET_FAILED", {
      code: "NODE_TIMEOUT",
      details: "It did not answer before the deadline.",
    });
  return unreachableError((error as Error).message);
}

/** True if the server or a node did not respond, so that another attempt may succeed. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof SvcmError && error.kind === "FLEET_FAILED" && error.body.code !== "FLEET_NOT_SET_UP";
}

export function unreachableError(details: string): SvcmError {
  return new SvcmError("FLEET_FAILED", { code: "NODE_UNREACHABLE", details });
}
