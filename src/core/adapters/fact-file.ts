import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ErrorCode } from "../api/code.ts";
import { type Issue, locationText } from "../api/issue.ts";
import { SvcmError } from "../errors.ts";
import type { Fact } from "../facts/read.ts";
import { FileError, type Files } from "../ports/index.ts";
import { decodeUtf8, describeNotUtf8 } from "../words/utf8.ts";
import { attempting } from "./files/file-error.ts";
import { fileState, isRefusal } from "./files/system.ts";
import { userCache, type UserCache } from "./user-cache.ts";

/** A contract with several hundred keys is 20 times smaller. */
const MAX_FACT_BYTES = 2 ** 20;

interface FactPlace {
  readonly root: string;
  readonly files: Pick<Files, "read">;
  readonly kept?: (() => KeptFacts | undefined) | undefined;
}

/** A declaration file of a repository. Packaged data replaces a missing file. */
export class FactFile<T> {
  readonly #name: string;
  readonly #path: string;
  readonly #files: Pick<Files, "read">;
  readonly #packaged: { readonly text: string | undefined; readonly value: T };
  readonly #kept: (() => KeptFacts | undefined) | undefined;
  #last: { readonly stamp: string; readonly loading: Promise<T> } | undefined;

  constructor(
    { root, files, kept }: FactPlace,
    name: string,
    packaged: { readonly text: string | undefined; readonly value: T },
  ) {
    this.#name = name;
    this.#path = join(root, name);
    this.#files = files;
    this.#packaged = packaged;
    this.#kept = kept;
  }

  async load(read: (text: string, file: string) => Promise<Fact<T>>): Promise<T> {
    const stamp = await this.#attempt(() => this.#stamp());
    if (stamp === undefined) return this.#packaged.value;
    if (this.#last?.stamp === stamp) return await this.#last.loading;
    const loading = this.#read(read);
    const last = { stamp, loading };
    this.#last = last;
    // The next call tries again.
    loading.catch(() => this.#last === last && (this.#last = undefined));
    return await loading;
  }

  /** Returns `undefined` if the file does not exist. */
  #stamp(): string | undefined {
    try {
      // Most repositories do not have these files, and throwing costs more than the call.
      const state = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
      return state && fileState(state);
    } catch (error) {
      if (isRefusal(error, "ENOTDIR")) return undefined;
      throw error;
    }
  }

  async #read(read: (text: string, file: string) => Promise<Fact<T>>): Promise<T> {
    const bytes = await this.#attempt(() => this.#files.read(this.#path, { maxBytes: MAX_FACT_BYTES }));
    const text = decodeUtf8(bytes);
    if (text === undefined) throw this.#refusal("FACT_INVALID", describeNotUtf8(bytes));
    if (text === this.#packaged.text) return this.#packaged.value;
    const key = `${this.#name}\n${text}`;
    const kept = this.#kept?.();
    const known = kept?.read(key) as T | undefined;
    if (known !== undefined) return known;
    const value = this.#valid(await read(text, this.#name), text);
    kept?.keep(key, value);
    return value;
  }

  async #attempt<R>(step: () => R): Promise<Awaited<R>> {
    try {
      return await attempting("read", this.#path, step);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw this.#refusal(error.code, error.message);
    }
  }

  #refusal(code: ErrorCode, details: string): SvcmError {
    return new SvcmError("FACT_INVALID", { code, path: this.#path, details });
  }

  #valid(fact: Fact<T>, source: string): T {
    if (fact.value !== undefined) return fact.value;
    throw new SvcmError("FACT_INVALID", {
      path: this.#path,
      details: fact.issues.map(describe).join("; "),
      issues: fact.issues,
      source,
    });
  }
}

function describe({ at, message }: Issue): string {
  return at ? `${locationText(at)}: ${message}` : message;
}

export interface KeptFacts {
  read(text: string): unknown;
  keep(text: string, value: unknown): void;
}

/** Further texts overwrite earlier ones. */
const MOST_TEXTS = 64;

export function keptFacts(env: Readonly<Record<string, string | undefined>>): KeptFacts | undefined {
  const cache = cacheOf(env);
  return (
    cache && {
      read: (text) => valueOf(text, cache.read(fileNameOf(text))?.toString()),
      keep: (text, value) => cache.keep(() => [[fileNameOf(text), Buffer.from(JSON.stringify([text, value]))]]),
    }
  );
}

/** A damaged cache file counts as absent. */
function valueOf(text: string, kept: string | undefined): unknown {
  try {
    const [of, value] = JSON.parse(kept ?? "[]") as [string, unknown];
    return of === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Another build may accept different texts. Running from source has no build identity, so it caches nothing. */
function cacheOf(env: Readonly<Record<string, string | undefined>>): UserCache | undefined {
  try {
    const build = readFileSync(`${import.meta.dirname}/../build-id`, "latin1").trim();
    return userCache(`${build}-facts`, env);
  } catch {
    return undefined;
  }
}

/**
 * Loading `node:crypto` takes longer than a short command. A weak hash is enough, because the text itself is compared.
 */
function fileNameOf(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return `${(hash >>> 0) % MOST_TEXTS}.json`;
}
