import type { AlertMessage } from "../api/alerts.ts";
import type { AlertSettings } from "../project/project.ts";
import { formatSecond } from "../words/time.ts";
import type { Unsent } from "./alert-record.ts";
import type { Notifier } from "./ports.ts";

/** More, or older ones, would only fill the chat when the receiver is back. */
const MAX_UNSENT = 100;
const MAX_AGE_MS = 24 * 3_600_000;
const RETRY_MS = 60_000;
/** Later than this, the message is not about the present. */
const LATE_MS = 60_000;

interface OutboxOptions {
  readonly settings: AlertSettings;
  readonly notifier: Pick<Notifier, "send">;
  readonly onProblem: (error: unknown) => void;
}

/** Messages until their receiver accepts them, in their order. A command is tried once: it may have done its work. */
export class Outbox {
  readonly #options: OutboxOptions;
  #unsent: readonly Unsent[];
  #delivering: Promise<void> | undefined;
  #failedAt: number | undefined;
  #failure = "";

  constructor(options: OutboxOptions, unsent: readonly Unsent[]) {
    this.#options = options;
    const { settings } = options;
    this.#unsent = unsent.filter(({ to }) => settings[to] !== undefined);
  }

  get unsent(): readonly Unsent[] {
    return this.#unsent;
  }

  add(messages: readonly AlertMessage[]): void {
    const { settings } = this.#options;
    const receivers = (["webhook", "command"] as const).filter((to) => settings[to] !== undefined);
    const added = messages.flatMap((message) => receivers.map((to) => ({ to, message })));
    this.#unsent = [...this.#unsent, ...added].slice(-MAX_UNSENT);
  }

  /** Never throws. @param nowMs milliseconds since 1970 */
  deliver(nowMs: number, elapsedMs: number): Promise<void> {
    this.#delivering ??= this.#deliverAll(nowMs, elapsedMs).finally(() => (this.#delivering = undefined));
    return this.#delivering;
  }

  async #deliverAll(nowMs: number, elapsedMs: number): Promise<void> {
    const isWaiting = this.#failedAt !== undefined && elapsedMs - this.#failedAt < RETRY_MS;
    const blocked = new Set<Unsent["to"]>(isWaiting ? ["webhook"] : []);
    for (const one of this.#unsent) {
      if (blocked.has(one.to)) continue;
      const isOld = nowMs - Date.parse(one.message.at) > MAX_AGE_MS;
      if (isOld || (await this.#send(one, nowMs)) || one.to === "command")
        this.#unsent = this.#unsent.filter((other) => other !== one);
      else {
        blocked.add(one.to);
        this.#failedAt = elapsedMs;
      }
    }
  }

  async #send({ to, message }: Unsent, nowMs: number): Promise<boolean> {
    const { notifier, settings, onProblem } = this.#options;
    try {
      const receiver = to === "webhook" ? { ...settings, command: undefined } : { ...settings, webhook: undefined };
      await notifier.send(receiver, withTime(message, nowMs));
      if (to === "webhook") [this.#failedAt, this.#failure] = [undefined, ""];
      return true;
    } catch (error) {
      // A receiver that is away for long is one problem.
      if (to === "command" || this.#failure !== String(error)) onProblem(error);
      if (to === "webhook") this.#failure = String(error);
      return false;
    }
  }
}

function withTime(message: AlertMessage, nowMs: number): AlertMessage {
  const atMs = Date.parse(message.at);
  if (nowMs - atMs <= LATE_MS) return message;
  return { ...message, text: `${message.text} It was made at ${formatSecond(atMs)}, and could not be sent then.` };
}
