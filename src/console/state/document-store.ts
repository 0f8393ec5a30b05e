import { signal } from "@preact/signals";
import type { Vocabulary } from "../../core/deployments/file.ts";
import { DocumentStorage, STORAGE_KEY } from "./document-storage.ts";
import { emptyDocument, readDocument, type DeploymentsDocument } from "./deployments-document.ts";
import { errorText } from "../data/request-error.ts";

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
