import type { ErrorCode } from "../../core/api/issue.ts";
import type { ActionFrame, ActionResultFrame, ClientFrame } from "../../core/api/frames.ts";
import { attemptedAction, failureCode, SvcmError, type Identity, type RefusedAttempt } from "../../core/index.ts";
import { errorStack } from "../../core/words/thrown.ts";
import { anonymousIdentity } from "../access.ts";
import { actorOf, isTokenRefusal } from "../response.ts";
import { refusedResult } from "./run-action.ts";
import { closeCodes, type Peer } from "./peer.ts";
import { rateLimiter } from "../limits.ts";
import { errorFrame, isRefusal, readFrame, subscriptionRefusal } from "./read-frame.ts";
import type { Client, SessionContext } from "./session-context.ts";
import { Streams } from "./streams.ts";
import { bearer } from "./handshake.ts";

const TOKEN_REQUIRED = "Accepted: the token of this server, with the upgrade or in a subscribe frame.";

export class Session {
  readonly #peer: Peer;
  readonly #context: SessionContext;
  readonly #client: Client;
  #identity: Identity;
  #authorization: string | undefined;
  readonly #streams: Streams;
  /** Frames are processed in order, but actions run concurrently. */
  #pending: Promise<void> = Promise.resolve();
  readonly #actions = new Set<Promise<void>>();
  readonly #allowFrame: () => boolean;
  readonly #allowAction: () => boolean;
  #isChecking = false;
  #isIgnoring = false;
  #isEnded = false;

  constructor(peer: Peer, client: Client, context: SessionContext) {
    this.#peer = peer;
    this.#identity = client.identity;
    this.#authorization = client.authorization;
    this.#client = client;
    this.#context = context;
    this.#streams = new Streams(peer, context);
    this.#allowFrame = rateLimiter(context.limits.frameRate);
    this.#allowAction = rateLimiter(context.limits.actionRate);
  }

  get isUnauthenticated(): boolean {
    return !this.#identity.grants.includes("read");
  }

  /** Disconnects a reader whose token was revoked or has expired, and ends each stream that lost its own right. */
  revalidate(): void {
    if (this.isUnauthenticated) return;
    this.#identity = this.#identityOf(this.#authorization);
    this.requireRead();
    if (!this.#isEnded && !this.#isChecking) void this.#checkStreams();
  }

  async #checkStreams(): Promise<void> {
    const report = (
      refusal: SvcmError,
      identity: Identity,
      { requestId }: { readonly requestId?: string | undefined },
    ): void => {
      void this.#recordRefusal({ action: "stream.subscribe", ...actorOf(identity) }, failureCode(refusal));
      this.#peer.send(subscriptionRefusal(refusal, requestId));
    };
    this.#isChecking = true;
    await this.#streams.revalidate(report).catch((error: unknown) => this.#fail(error));
    this.#isChecking = false;
  }

  requireRead(): void {
    if (!this.isUnauthenticated) return;
    void this.#recordRefusal({ action: "stream.open" }, "UNAUTHORIZED");
    this.#disconnect("UNAUTHORIZED", TOKEN_REQUIRED, closeCodes.policyViolation);
  }

  receive(data: Buffer, isBinary: boolean): void {
    if (this.#isIgnoring || this.#isEnded || !this.#peer.isOpen) return;
    const { frameRate, maxBodyDepth } = this.#context.limits;
    if (!this.#allowFrame()) {
      const details = `Accepted: ${frameRate.perSecond} frames a second.`;
      void this.#recordRefusal({ action: "stream.send" }, "RATE_LIMITED");
      return this.#disconnectAfterPending("RATE_LIMITED", details, closeCodes.policyViolation);
    }
    if (isBinary)
      return this.#disconnectAfterPending("BINARY_FRAME", "Accepted: text frames.", closeCodes.unsupportedData);
    const frame = readFrame(data, maxBodyDepth);
    this.#pending = this.#pending.then(() => this.#process(frame)).catch((error: unknown) => this.#fail(error));
  }

  end(): void {
    this.#isEnded = true;
    this.#streams.stopAll();
  }

  async settled(): Promise<void> {
    await this.#pending;
    await Promise.all(this.#actions);
  }

  async #process(frame: ReturnType<typeof readFrame>): Promise<void> {
    if (this.#isEnded) return;
    if (!isRefusal(frame)) return this.#handle(frame);
    if (frame.code === "INVALID_ACTION") await this.#recordRefusal({ action: "process.act" }, frame.code);
    return this.#peer.send({ type: "error", ...frame });
  }

  async #handle(frame: ClientFrame): Promise<void> {
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
    let start: Awaited<ReturnType<Streams["prepare"]>>;
    try {
      identity = this.#authenticateReader(token);
      start = await this.#streams.prepare(frame, identity);
    } catch (error) {
      return await this.#refuseSubscription(error, identity, requestId);
    }
    if (this.#isEnded) return;
    this.#identity = identity;
    const authorization = token === undefined ? this.#authorization : bearer(token);
    this.#authorization = authorization;
    start(() => this.#identityOf(authorization));
  }

  async #refuseSubscription(error: unknown, identity: Identity, requestId: string | undefined): Promise<void> {
    if (!(error instanceof SvcmError)) throw error;
    if (isTokenRefusal(error))
      await this.#recordRefusal({ action: "stream.subscribe", ...actorOf(identity) }, failureCode(error));
    this.#peer.send(subscriptionRefusal(error, requestId));
  }

  /** @throws {SvcmError} UNAUTHORIZED, RATE_LIMITED, SERVICE_BUSY */
  #authenticateReader(token: string | undefined): Identity {
    const identity = this.#identityWith(token);
    if (!identity.grants.includes("read")) throw new SvcmError("UNAUTHORIZED", { details: TOKEN_REQUIRED });
    if (this.isUnauthenticated && !this.#client.hasCapacity()) throw new SvcmError("SERVICE_BUSY");
    return identity;
  }

  #act(frame: ActionFrame): void {
    const { limits, log } = this.#context;
    const isAllowed = this.#allowAction() && this.#actions.size < limits.maxActions;
    const actions = (isAllowed ? this.#runAction(frame) : this.#refuseForRate(frame))
      .then((result) => this.#peer.send(result))
      .catch((error: unknown) => log.error({ stack: errorStack(error) }, "action failed"))
      .finally(() => this.#actions.delete(actions));
    if (isAllowed) this.#actions.add(actions);
  }

  async #runAction(frame: ActionFrame): Promise<ActionResultFrame> {
    let identity: Identity;
    try {
      identity = this.#identityWith(frame.token);
    } catch (error) {
      if (!(error instanceof SvcmError)) throw error;
      await this.#recordRefusal(attemptedAction(frame), error.kind);
      return refusedResult(frame, error.kind, error.message);
    }
    return await this.#context.runAction(frame, identity, this.#streams.subscribed, (refusal) =>
      this.#recordRefusal({ ...attemptedAction(frame), ...actorOf(identity) }, failureCode(refusal)),
    );
  }

  async #refuseForRate(frame: ActionFrame): Promise<ActionResultFrame> {
    const { actionRate, maxActions } = this.#context.limits;
    await this.#recordRefusal(attemptedAction(frame), "RATE_LIMITED");
    const error = `Too many actions at once: this one was not carried out. Accepted: ${actionRate.perSecond} actions a second, ${maxActions} at the same time.`;
    return refusedResult(frame, "RATE_LIMITED", error);
  }

  #recordRefusal(attempt: Pick<RefusedAttempt, "action" | "target" | "actor">, code: ErrorCode): Promise<void> {
    return this.#context.refusals.record({ ...attempt, source: "ws", address: this.#client.address, code });
  }

  /** A token in a frame replaces that of the upgrade, so a wrong one is refused. */
  #identityWith(token: string | undefined): Identity {
    return token === undefined
      ? this.#identityOf(this.#authorization)
      : this.#context.authenticate(this.#client.address, bearer(token));
  }

  /** Looks the token up again, because tokens are created, revoked and expire while a socket is open. */
  #identityOf(authorization: string | undefined): Identity {
    const { policy } = this.#context;
    const tokenIdentity = authorization === undefined ? undefined : policy.identities.find(authorization);
    return tokenIdentity ?? anonymousIdentity(policy);
  }

  /** Responds to earlier frames first, and ignores later ones. */
  #disconnectAfterPending(code: ErrorCode, details: string, closeCode: number): void {
    this.#isIgnoring = true;
    this.#pending = this.#pending.then(() => this.#disconnect(code, details, closeCode));
  }

  #disconnect(code: ErrorCode, details: string, closeCode: number): void {
    this.end();
    this.#peer.send(errorFrame(code, details));
    this.#peer.close(closeCode, code);
  }

  #fail(error: unknown): void {
    this.#context.log.error({ stack: errorStack(error) }, "frame failed");
    this.#disconnect("DEFECT", "This is a defect in svcm.", closeCodes.internalError);
  }
}
