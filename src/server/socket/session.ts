import type { ErrorCode } from "../../core/api/code.ts";
import type { ActionFrame, ActionResultFrame, ClientFrame } from "../../core/api/frames.ts";
import { attemptedAction, failureCode, SvcmError, type Identity } from "../../core/index.ts";
import { errorStack } from "../../core/words/thrown.ts";
import { anonymous } from "../access.ts";
import { actorOf, isOfToken, type RefusedAttempt } from "../refusals.ts";
import { refusedAction } from "./run-action.ts";
import { closeCodes, type Peer } from "./peer.ts";
import { rateLimiter } from "./rate.ts";
import { errorFrame, isRefusal, readFrame, subscriptionRefusal } from "./read-frame.ts";
import type { Client, SessionContext } from "./session-context.ts";
import { Streams } from "./streams.ts";
import { bearer } from "./subprotocol.ts";

const OWES_TOKEN = "Accepted: the token of this server, with the upgrade or in a subscribe frame.";

export class Session {
  readonly #peer: Peer;
  readonly #context: SessionContext;
  readonly #client: Client;
  #identity: Identity;
  #authorization: string | undefined;
  readonly #streams: Streams;
  /** Frames are processed in order, but actions run concurrently. */
  #tail: Promise<void> = Promise.resolve();
  readonly #acting = new Set<Promise<void>>();
  readonly #mayFrame: () => boolean;
  readonly #mayAct: () => boolean;
  #isDeaf = false;
  #hasEnded = false;

  constructor(peer: Peer, client: Client, context: SessionContext) {
    this.#peer = peer;
    this.#identity = client.identity;
    this.#authorization = client.authorization;
    this.#client = client;
    this.#context = context;
    this.#streams = new Streams(peer, context);
    this.#mayFrame = rateLimiter(context.limits.frameRate);
    this.#mayAct = rateLimiter(context.limits.actionRate);
  }

  get owesToken(): boolean {
    return !this.#identity.grants.includes("read");
  }

  /** Disconnects a reader whose token was revoked or has expired. */
  requireToken(): void {
    if (this.owesToken) return;
    this.#identity = this.#current();
    this.requireRead();
  }

  requireRead(): void {
    if (!this.owesToken) return;
    void this.#refused({ action: "stream.open" }, "UNAUTHORIZED");
    this.#cut("UNAUTHORIZED", OWES_TOKEN, closeCodes.policyViolation);
  }

  receive(data: Buffer, isBinary: boolean): void {
    if (this.#isDeaf || this.#hasEnded || !this.#peer.isOpen) return;
    const { frameRate, maxBodyDepth } = this.#context.limits;
    if (!this.#mayFrame()) {
      const details = `Accepted: ${frameRate.perSecond} frames a second.`;
      void this.#refused({ action: "stream.send" }, "RATE_LIMITED");
      return this.#cutNext("RATE_LIMITED", details, closeCodes.policyViolation);
    }
    if (isBinary) return this.#cutNext("BINARY_FRAME", "Accepted: text frames.", closeCodes.unsupportedData);
    const frame = readFrame(data, maxBodyDepth);
    this.#tail = this.#tail.then(() => this.#answer(frame)).catch((error: unknown) => this.#fail(error));
  }

  end(): void {
    this.#hasEnded = true;
    this.#streams.stopAll();
  }

  async settled(): Promise<void> {
    await this.#tail;
    await Promise.all(this.#acting);
  }

  async #answer(frame: ReturnType<typeof readFrame>): Promise<void> {
    if (this.#hasEnded) return;
    if (!isRefusal(frame)) return this.#obey(frame);
    if (frame.code === "INVALID_ACTION") await this.#refused({ action: "process.act" }, frame.code);
    return this.#peer.send({ type: "error", ...frame });
  }

  async #obey(frame: ClientFrame): Promise<void> {
    switch (frame.type) {
      case "ping":
        return this.#peer.send({ type: "pong" });
      case "unsubscribe":
        return this.#streams.stop("subscribe");
      case "events.unsubscribe":
        return this.#streams.stop("events.subscribe");
      case "logs.unsubscribe":
        return this.#streams.stop("logs.subscribe");
      case "action":
        return this.#act(frame);
      default:
        return await this.#subscribe(frame);
    }
  }

  async #subscribe(frame: Parameters<Streams["prepare"]>[0]): Promise<void> {
    const { token, requestId } = frame;
    let identity = this.#identity;
    let start: () => void;
    try {
      identity = this.#reader(token);
      start = await this.#streams.prepare(frame, identity);
    } catch (error) {
      return await this.#refuseSubscription(error, identity, requestId);
    }
    if (this.#hasEnded) return;
    this.#identity = identity;
    this.#authorization = token === undefined ? this.#authorization : bearer(token);
    start();
  }

  async #refuseSubscription(error: unknown, identity: Identity, requestId: string | undefined): Promise<void> {
    if (!(error instanceof SvcmError)) throw error;
    if (isOfToken(error)) await this.#refused({ action: "stream.subscribe", ...actorOf(identity) }, failureCode(error));
    this.#peer.send(subscriptionRefusal(error, requestId));
  }

  /** @throws {SvcmError} UNAUTHORIZED, RATE_LIMITED, SERVICE_BUSY */
  #reader(token: string | undefined): Identity {
    const identity = this.#identityWith(token);
    if (!identity.grants.includes("read")) throw new SvcmError("UNAUTHORIZED", { details: OWES_TOKEN });
    if (this.owesToken && !this.#client.hasPlace()) throw new SvcmError("SERVICE_BUSY");
    return identity;
  }

  #act(frame: ActionFrame): void {
    const { limits, log } = this.#context;
    const isAllowed = this.#mayAct() && this.#acting.size < limits.maxActions;
    const acting = (isAllowed ? this.#carryOut(frame) : this.#refuseForRate(frame))
      .then((result) => this.#peer.send(result))
      .catch((error: unknown) => log.error({ stack: errorStack(error) }, "action failed"))
      .finally(() => this.#acting.delete(acting));
    if (isAllowed) this.#acting.add(acting);
  }

  async #carryOut(frame: ActionFrame): Promise<ActionResultFrame> {
    let identity: Identity;
    try {
      identity = this.#identityWith(frame.token);
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      await this.#refused(attemptedAction(frame), error.kind);
      return refusedAction(frame, error.kind, error.message);
    }
    return await this.#context.act(frame, identity, this.#streams.subscribed, (refusal) =>
      this.#refused({ ...attemptedAction(frame), ...actorOf(identity) }, failureCode(refusal)),
    );
  }

  async #refuseForRate(frame: ActionFrame): Promise<ActionResultFrame> {
    const { actionRate, maxActions } = this.#context.limits;
    await this.#refused(attemptedAction(frame), "RATE_LIMITED");
    const error = `Too many actions at once: this one was not carried out. Accepted: ${actionRate.perSecond} actions a second, ${maxActions} at the same time.`;
    return refusedAction(frame, "RATE_LIMITED", error);
  }

  #refused(attempt: Pick<RefusedAttempt, "action" | "target" | "actor">, code: ErrorCode): Promise<void> {
    return this.#context.refusals.record({ ...attempt, source: "ws", address: this.#client.address, code });
  }

  /** A token in a frame replaces that of the upgrade, so a wrong one is refused. */
  #identityWith(token: string | undefined): Identity {
    return token === undefined ? this.#current() : this.#context.authenticate(this.#client.address, bearer(token));
  }

  /** Looks the token up again, because tokens are created, revoked and expire while a socket is open. */
  #current(): Identity {
    const { policy } = this.#context;
    const known = this.#authorization === undefined ? undefined : policy.identities.of(this.#authorization);
    return known ?? anonymous(policy);
  }

  /** Responds to earlier frames first, and ignores later ones. */
  #cutNext(code: ErrorCode, details: string, closeCode: number): void {
    this.#isDeaf = true;
    this.#tail = this.#tail.then(() => this.#cut(code, details, closeCode));
  }

  #cut(code: ErrorCode, details: string, closeCode: number): void {
    this.end();
    this.#peer.send(errorFrame(code, details));
    this.#peer.close(closeCode, code);
  }

  #fail(error: unknown): void {
    this.#context.log.error({ stack: errorStack(error) }, "frame failed");
    this.#cut("DEFECT", "This is a defect in svcm.", closeCodes.internalError);
  }
}
