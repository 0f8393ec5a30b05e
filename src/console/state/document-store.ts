import { signal } from "@preact/signals";
import type { Vocabulary, Candidate } from "../../core/deployments/file.ts";
import { errorText } from "../data/request-error.ts";
import { DOCUMENT_VERSION, migrateTarget } from "../../core/deployments/shape.ts";
import { isRecord } from "../../core/words/record.ts";

/** @see the specification, "Versioning" 1 */
export const STORAGE_KEY = DOCUMENT_VERSION;

const ASIDE = `${STORAGE_KEY}.aside.`;

export interface UnreadableText {
  readonly key: string;
  readonly text: string;
  readonly reason: string;
}

export interface DocumentStoreOptions {
  readonly storage: Storage | undefined;
  readonly vocabulary: Vocabulary;
  readonly server: string;
  readonly now: () => number;
}

export class DocumentStore {
  readonly document = signal(emptyDocument);
  readonly unsaved = signal<string | undefined>();
  readonly aside = signal<readonly UnreadableText[]>([]);
  /** True if the stored document belongs to another server. Until {@link settle}, nothing is loaded or stored. */
  readonly isForeign = signal(false);
  readonly #options: DocumentStoreOptions;
  #place: DocumentStorage | undefined;

  constructor(options: DocumentStoreOptions) {
    const { storage, server } = options;
    this.#options = options;
    if (storage === undefined) {
      this.unsaved.value = "This browser stores nothing for the page.";
      return;
    }
    this.#place = new DocumentStorage(storage, server);
    this.aside.value = unreadableTexts(storage);
    this.isForeign.value = this.#place.isForeign;
    this.#loadStored();
  }

  /** With `copy`, the other server's document also stays stored for that server. */
  settle(choice: "empty" | "copy"): void {
    this.#place?.takeOver(choice === "copy");
    this.isForeign.value = false;
    this.#loadStored();
  }

  /** True if the browser has stored a document, so that changes are stored too. */
  get isStored(): boolean {
    return !this.isForeign.value && (this.#place?.read() ?? null) !== null;
  }

  /** Like {@link update}, but stores nothing if the browser has no document yet. */
  sync(change: (document: DeploymentsDocument) => DeploymentsDocument): void {
    if (this.isStored) this.update(change);
    else if (!this.isForeign.value) this.document.value = change(this.document.value);
  }

  update(change: (document: DeploymentsDocument) => DeploymentsDocument): void {
    if (this.isForeign.value) return;
    const next = change(this.document.value);
    if (next === this.document.value) return;
    this.document.value = next;
    this.#save(JSON.stringify(next));
  }

  dropAside(key: string): void {
    this.#options.storage?.removeItem(key);
    this.aside.value = this.aside.value.filter((kept) => kept.key !== key);
  }

  onStorage({ key, newValue }: StorageEvent): void {
    if (key === STORAGE_KEY && newValue !== null && this.#place?.isForeign !== true) this.#load(newValue);
  }

  #loadStored(): void {
    const stored = this.isForeign.value ? null : this.#place?.read();
    if (typeof stored === "string") this.#load(stored);
  }

  #load(text: string): void {
    const reading = readDocument(text, this.#options.vocabulary);
    if ("document" in reading) this.document.value = reading.document;
    else this.#setAside(text, reading.reason);
  }

  #save(text: string): void {
    if (this.#place === undefined) return;
    try {
      this.#place.write(text);
      this.unsaved.value = undefined;
    } catch (error) {
      this.unsaved.value = `It could not be stored: ${errorText(error)}`;
    }
  }

  #setAside(text: string, reason: string): void {
    const { storage, now } = this.#options;
    const kept = { key: `${ASIDE}${now()}`, text, reason };
    if (!this.aside.value.some((other) => other.text === text)) this.aside.value = [...this.aside.value, kept];
    try {
      storage?.setItem(kept.key, JSON.stringify({ reason, text }));
      this.#place?.remove();
    } catch {
      // Without room for a copy, the stored text must not be overwritten.
      this.unsaved.value =
        "The saved text cannot be read and there is no room to keep a copy. Save it, then remove it.";
      this.#place = undefined;
    }
  }
}

function unreadableTexts(storage: Storage): UnreadableText[] {
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
  return keys.filter((key) => key.startsWith(ASIDE)).map((key) => parseUnreadable(key, storage.getItem(key) ?? ""));
}

function parseUnreadable(key: string, stored: string): UnreadableText {
  try {
    const { reason, text } = JSON.parse(stored) as Record<string, unknown>;
    if (typeof reason === "string" && typeof text === "string") return { key, reason, text };
  } catch {
    // The value is the text itself.
  }
  return { key, text: stored, reason: "It cannot be read." };
}
const OWNER_KEY = `${STORAGE_KEY}.server`;
const SET_ASIDE = `${STORAGE_KEY}.of.`;

/**
 * The document of one server in the browser's storage. The storage belongs to an address, where another server may
 * respond later, for example through a forwarded port.
 */
class DocumentStorage {
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

/**
 * The deployments document as the console holds it. Rejected entries are kept and flagged, unknown keys are kept.
 *
 * @see CONTRACT section 6
 */
export interface DeploymentsDocument {
  readonly version: typeof DOCUMENT_VERSION;
  /** The selection only, never values. An invalid one is kept and flagged. */
  readonly runtimeEnvironment?: unknown;
  readonly serviceConfiguration?: Candidate;
  readonly interfaces?: readonly Candidate[];
  readonly deployments?: readonly Candidate[];
  readonly [unknown: string]: unknown;
}

const emptyDocument: DeploymentsDocument = { version: DOCUMENT_VERSION };

/** Returns the migrated document, or the reason why the text is not a document. */
function readDocument(
  text: string,
  vocabulary: Vocabulary,
): { readonly document: DeploymentsDocument } | { readonly reason: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { reason: `It is not JSON: ${errorText(error)}` };
  }
  const reason = shapeProblem(value);
  return reason === undefined ? { document: migrateDocument(value as Candidate, vocabulary) } : { reason };
}

/** Lossless. @see the specification, "Versioning" 2 */
export function migrateDocument(value: Candidate, vocabulary: Vocabulary): DeploymentsDocument {
  const { deployments } = value as { deployments?: readonly Candidate[] };
  return {
    ...value,
    version: DOCUMENT_VERSION,
    ...(deployments && { deployments: deployments.map((entry) => migrateTarget(entry, vocabulary)) }),
  };
}

export function shapeProblem(value: unknown): string | undefined {
  if (!isRecord(value)) return "It is not a map.";
  const { version = DOCUMENT_VERSION, runtimeEnvironment, serviceConfiguration = {} } = value;
  if (version !== DOCUMENT_VERSION) return `version is ${JSON.stringify(version)}; accepted: ${DOCUMENT_VERSION}.`;
  // Another scalar is an invalid selection; a map or a list would be values.
  if (typeof runtimeEnvironment === "object") return "runtimeEnvironment is not the name of an environment.";
  if (!isRecord(serviceConfiguration)) return "serviceConfiguration is not a map.";
  const list = (["interfaces", "deployments"] as const).find((name) => {
    const entries = value[name] ?? [];
    return !Array.isArray(entries) || !entries.every(isRecord);
  });
  return list && `${list} is not a list of maps.`;
}
