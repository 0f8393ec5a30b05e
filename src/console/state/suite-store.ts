import { signal, type ReadonlySignal } from "@preact/signals";
import type { Vocabulary } from "../../core/deployments/vocabulary.ts";
import { DocumentPlace, STORAGE_KEY } from "./document-place.ts";
import { emptySuite, readSuite, type SuiteDocument } from "./suite-document.ts";

const ASIDE = `${STORAGE_KEY}.aside.`;

/** A stored text that could not be read, and was kept. */
export interface KeptAside {
  readonly key: string;
  readonly text: string;
  readonly reason: string;
}

export interface SuiteStore {
  readonly document: ReadonlySignal<SuiteDocument>;
  /** What could not be read and where it is kept, until the person says that it may go. */
  readonly aside: ReadonlySignal<readonly KeptAside[]>;
  /** Why the document is held in memory only. */
  readonly unsaved: ReadonlySignal<string | undefined>;
  /** The stored document belongs to another server. Until {@link settle} nothing is loaded or stored. */
  readonly isForeign: ReadonlySignal<boolean>;
  /** Begins with an empty document for this server, or with a copy of the other one's, which stays stored for that. */
  settle(choice: "empty" | "copy"): void;
  /** Replaces the document by what the change makes of it, and stores that. */
  update(change: (document: SuiteDocument) => SuiteDocument): void;
  dropAside(key: string): void;
  /** Takes what another tab of the browser has stored. */
  onStorage(event: StorageEvent): void;
}

export interface SuiteStoreOptions {
  /** Of the browser; `undefined` if it is closed to the page. */
  readonly storage: Storage | undefined;
  readonly vocabulary: Vocabulary;
  /** The identity of the server that the page works with. */
  readonly server: string;
  readonly now: () => number;
}

export function createSuiteStore(options: SuiteStoreOptions): SuiteStore {
  return new Store(options);
}

class Store implements SuiteStore {
  readonly document = signal(emptySuite);
  readonly unsaved = signal<string | undefined>();
  readonly aside = signal<readonly KeptAside[]>([]);
  readonly isForeign = signal(false);
  readonly #options: SuiteStoreOptions;
  /** Absent if nothing can be stored. */
  #place: DocumentPlace | undefined;

  constructor(options: SuiteStoreOptions) {
    const { storage, server } = options;
    this.#options = options;
    if (storage === undefined) {
      this.unsaved.value = "This browser stores nothing for the page.";
      return;
    }
    this.#place = new DocumentPlace(storage, server);
    this.aside.value = keptIn(storage);
    this.isForeign.value = this.#place.isForeign;
    this.#begin();
  }

  settle(choice: "empty" | "copy"): void {
    this.#place?.take(choice === "copy");
    this.isForeign.value = false;
    this.#begin();
  }

  update(change: (document: SuiteDocument) => SuiteDocument): void {
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

  #begin(): void {
    const stored = this.isForeign.value ? null : this.#place?.read();
    if (typeof stored === "string") this.#load(stored);
  }

  #load(text: string): void {
    const reading = readSuite(text, this.#options.vocabulary);
    if ("document" in reading) this.document.value = reading.document;
    else this.#keep(text, reading.reason);
  }

  #save(text: string): void {
    if (this.#place === undefined) return;
    try {
      this.#place.write(text);
      this.unsaved.value = undefined;
    } catch (error) {
      this.unsaved.value = `It could not be stored: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #keep(text: string, reason: string): void {
    const { storage, now } = this.#options;
    const kept = { key: `${ASIDE}${now()}`, text, reason };
    if (!this.aside.value.some((other) => other.text === text)) this.aside.value = [...this.aside.value, kept];
    try {
      storage?.setItem(kept.key, JSON.stringify({ reason, text }));
      this.#place?.remove();
    } catch {
      // No room for a copy: then it stays where it is, and nothing is written over it.
      this.unsaved.value =
        "The saved text cannot be read and there is no room to keep a copy. Save it, then remove it.";
      this.#place = undefined;
    }
  }
}

function keptIn(storage: Storage): KeptAside[] {
  const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? "");
  return keys.filter((key) => key.startsWith(ASIDE)).map((key) => keptAt(key, storage.getItem(key) ?? ""));
}

function keptAt(key: string, stored: string): KeptAside {
  try {
    const { reason, text } = JSON.parse(stored) as Record<string, unknown>;
    if (typeof reason === "string" && typeof text === "string") return { key, reason, text };
  } catch {
    // Then what is there is the text itself.
  }
  return { key, text: stored, reason: "It cannot be read." };
}
