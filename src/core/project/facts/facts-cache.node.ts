import { readFileSync } from "node:fs";
import { userCache, type UserCache } from "../../files/user-cache.ts";

export interface FactsCache {
  read(text: string): unknown;
  store(text: string, value: unknown): void;
}

const MAX_FILES = 64;

export function factsCache(env: Readonly<Record<string, string | undefined>>): FactsCache | undefined {
  const cache = openCache(env);
  return (
    cache && {
      read: (text) => parseEntry(text, cache.read(entryName(text))?.toString()),
      store: (text, value) => cache.store(() => [[entryName(text), Buffer.from(JSON.stringify([text, value]))]]),
    }
  );
}

function parseEntry(text: string, entry: string | undefined): unknown {
  try {
    const [key, value] = JSON.parse(entry ?? "[]") as [string, unknown];
    return key === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Another build may accept different texts; from source there is no build identity. */
function openCache(env: Readonly<Record<string, string | undefined>>): UserCache | undefined {
  try {
    const build = readFileSync(`${import.meta.dirname}/../build-id`, "latin1").trim();
    return userCache(`${build}-facts`, env);
  } catch {
    return undefined;
  }
}

/** Loading `node:crypto` takes longer than a short command. The text itself is compared, so a weak hash is enough. */
function entryName(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return `${(hash >>> 0) % MAX_FILES}.json`;
}
