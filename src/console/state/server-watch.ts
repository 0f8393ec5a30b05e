import { batch, signal } from "@preact/signals";
import type { Api } from "../data/api.ts";
import { toProblem, RequestError } from "../data/request-error.ts";

const CHECK_INTERVAL_MS = 15_000;
const OFFLINE_CHECK_INTERVAL_MS = 3_000;

export class ServerWatch {
  readonly isOnline = signal(true);
  /** The identity of the server that responded first; the page works with that server. */
  readonly identity = signal<string | undefined>();
  readonly isOther = signal(false);
  readonly version = signal<string | undefined>();
  /** Set if the server now has another version than the one that served this page. */
  readonly newVersion = signal<string | undefined>();
  readonly #api: Pick<Api, "health">;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pending = 0;

  constructor(api: Pick<Api, "health">) {
    this.#api = api;
  }

  async check(): Promise<void> {
    await this.confirm().catch(() => undefined);
  }

  /** @throws {RequestError} if another server responds, or none */
  async confirm(): Promise<void> {
    clearTimeout(this.#timer);
    this.#pending += 1;
    try {
      const { server, version } = await this.#api.health();
      batch(() => {
        this.isOnline.value = true;
        this.identity.value ??= server;
        this.isOther.value = server !== this.identity.value;
        this.version.value ??= version;
        this.newVersion.value = version === this.version.value || this.isOther.value ? undefined : version;
      });
    } catch (error) {
      this.isOnline.value = false;
      throw new RequestError(toProblem(error));
    } finally {
      this.#pending -= 1;
      this.#checkLater();
    }
    if (this.isOther.value) throw new RequestError({ error: "Another server answers at this address." });
  }

  setReachable(isReachable: boolean): void {
    if (isReachable === this.isOnline.value) return;
    this.isOnline.value = isReachable;
    if (this.#pending > 0) return;
    if (isReachable) void this.check();
    else this.#checkLater();
  }

  #checkLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => void this.check(),
      this.isOnline.value ? CHECK_INTERVAL_MS : OFFLINE_CHECK_INTERVAL_MS,
    );
  }
}
