import { batch, signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../data/api.ts";
import { problemOf, RequestError } from "../data/request-error.ts";

const EVERY_MS = 15_000;
const WHILE_OFFLINE_MS = 3_000;

/** Whether the server answers, which one it is, and which version of it. */
export interface ServerWatch {
  readonly isOnline: ReadonlySignal<boolean>;
  /** Of the server that answered first: the page works with that one. */
  readonly identity: ReadonlySignal<string | undefined>;
  /** Another server answers at the page's address. */
  readonly isOther: ReadonlySignal<boolean>;
  readonly version: ReadonlySignal<string | undefined>;
  /** Another version than the one that served this page; a reload brings its page. */
  readonly newVersion: ReadonlySignal<string | undefined>;
  /** Asks now. */
  look(): Promise<void>;
  /**
   * Asks now whether the server that answers is the page's.
   *
   * @throws {RequestError} if it is another one or does not answer
   */
  confirm(): Promise<void>;
  /** Another request was answered, or was not: there is no need to wait for the next look. */
  told(isReached: boolean): void;
}

export function watchServer(api: Pick<Api, "health">): ServerWatch {
  return new Watch(api);
}

class Watch implements ServerWatch {
  readonly isOnline = signal(true);
  readonly identity = signal<string | undefined>();
  readonly isOther = signal(false);
  readonly version = signal<string | undefined>();
  readonly newVersion = signal<string | undefined>();
  readonly #api: Pick<Api, "health">;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looks = 0;

  constructor(api: Pick<Api, "health">) {
    this.#api = api;
  }

  async look(): Promise<void> {
    await this.confirm().catch(() => undefined);
  }

  async confirm(): Promise<void> {
    clearTimeout(this.#timer);
    this.#looks += 1;
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
      throw new RequestError(problemOf(error));
    } finally {
      this.#looks -= 1;
      this.#lookLater();
    }
    if (this.isOther.value) throw new RequestError({ error: "Another server answers at this address." });
  }

  told(isReached: boolean): void {
    if (isReached === this.isOnline.value) return;
    this.isOnline.value = isReached;
    // A look that is under way finds out the rest.
    if (this.#looks > 0) return;
    if (isReached) void this.look();
    else this.#lookLater();
  }

  #lookLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.look(), this.isOnline.value ? EVERY_MS : WHILE_OFFLINE_MS);
  }
}
