import { DOCUMENT_VERSION } from "../../core/deployments/shape.ts";

/** @see the specification, "Versioning" 1 */
export const STORAGE_KEY = DOCUMENT_VERSION;
const OWNER_KEY = `${STORAGE_KEY}.server`;
const SET_ASIDE = `${STORAGE_KEY}.of.`;

/**
 * The document of one server in the browser's storage. The storage belongs to an address, where another server may
 * respond later, for example through a forwarded port.
 */
export class DocumentStorage {
  readonly #storage: Storage;
  readonly #server: string;

  constructor(storage: Storage, server: string) {
    this.#storage = storage;
    this.#server = server;
    if (!this.isForeign) return;
    if (storage.getItem(SET_ASIDE + server) !== null || storage.getItem(STORAGE_KEY) === null) this.#swap();
  }

  get isForeign(): boolean {
    const owner = this.#storage.getItem(OWNER_KEY);
    return owner !== null && owner !== this.#server;
  }

  /** The stored text. A text without an owner was stored by an earlier version of this page. */
  read(): string | null {
    const text = this.#storage.getItem(STORAGE_KEY);
    if (text !== null && !this.isForeign) this.#storage.setItem(OWNER_KEY, this.#server);
    return text;
  }

  write(text: string): void {
    if (this.isForeign) this.#swap();
    this.#storage.setItem(STORAGE_KEY, text);
    this.#storage.setItem(OWNER_KEY, this.#server);
  }

  remove(): void {
    this.#storage.removeItem(STORAGE_KEY);
  }

  /** Takes over the stored key. The other server keeps its document; with `isShared`, this server gets a copy. */
  takeOver(isShared: boolean): void {
    const text = this.#storage.getItem(STORAGE_KEY);
    this.#swap();
    if (isShared && text !== null) this.#storage.setItem(STORAGE_KEY, text);
  }

  /** Sets the other server's document aside and restores this server's. An empty text means no document. */
  #swap(): void {
    const [owner, text] = [this.#storage.getItem(OWNER_KEY) ?? "", this.#storage.getItem(STORAGE_KEY)];
    const own = this.#storage.getItem(SET_ASIDE + this.#server) ?? "";
    this.#storage.setItem(SET_ASIDE + owner, text ?? "");
    this.#storage.setItem(OWNER_KEY, this.#server);
    this.#storage.removeItem(SET_ASIDE + this.#server);
    if (own === "") this.#storage.removeItem(STORAGE_KEY);
    else this.#storage.setItem(STORAGE_KEY, own);
  }
}
