import { signal, type ReadonlySignal } from "@preact/signals";
import { SUITE_VERSION } from "../../core/suite/shape.ts";
import type { Vocabulary } from "../../core/suite/vocabulary.ts";
import { emptySuite, readSuite, type SuiteDocument } from "./suite-document.ts";

/** Where the document is stored. @see the specification, "Versioning" 1 */
export const STORAGE_KEY = SUITE_VERSION;
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
  /** Replaces the document by what the change makes of it, and stores that. */
  update(change: (document: SuiteDocument) => SuiteDocument): void;
  dropAside(key: string): void;
  /** Takes what another tab of the browser has stored. */
  onStorage(event: StorageEvent): void;
}

/** @param storage of the browser; `undefined` where it is closed to the page */
export function createSuiteStore(storage: Storage | undefined, vocabulary: Vocabulary, now: () => number): SuiteStore {
  const document = signal(emptySuite);
  const unsaved = signal<string | undefined>(storage ? undefined : "This browser stores nothing for the page.");
  const aside = signal<readonly KeptAside[]>(storage ? keptIn(storage) : []);
  const save = (value: string): void => {
    try {
      storage?.setItem(STORAGE_KEY, value);
      if (storage) unsaved.value = undefined;
    } catch (error) {
      unsaved.value = `It could not be stored: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
  const keep = (text: string, reason: string): void => {
    const kept = { key: `${ASIDE}${now()}`, text, reason };
    if (!aside.value.some((other) => other.text === text)) aside.value = [...aside.value, kept];
    try {
      storage?.setItem(kept.key, JSON.stringify({ reason, text }));
      storage?.removeItem(STORAGE_KEY);
    } catch {
      // No room for a copy: then it stays where it is, and nothing is written over it.
      unsaved.value = "What is stored cannot be read and there is no room to keep a copy. Save it, then remove it.";
      storage = undefined;
    }
  };
  const load = (text: string): void => {
    const reading = readSuite(text, vocabulary);
    if ("document" in reading) document.value = reading.document;
    else keep(text, reading.reason);
  };
  const stored = storage?.getItem(STORAGE_KEY);
  if (typeof stored === "string") load(stored);
  return {
    document,
    aside,
    unsaved,
    update(change) {
      const next = change(document.value);
      if (next === document.value) return;
      document.value = next;
      save(JSON.stringify(next));
    },
    dropAside(key) {
      storage?.removeItem(key);
      aside.value = aside.value.filter((kept) => kept.key !== key);
    },
    onStorage({ key, newValue }) {
      if (key === STORAGE_KEY && newValue !== null) load(newValue);
    },
  };
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
