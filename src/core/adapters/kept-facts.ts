import { readFileSync } from "node:fs";
import { userCache, type UserCache } from "./user-cache.ts";

export interface KeptFacts {
  read(text: string): unknown;
  keep(text: string, value: unknown): void;
}

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

function valueOf(text: string, kept: string | undefined): unknown {
  try {
    const [of, value] = JSON.parse(kept ?? "[]") as [string, unknown];
    return of === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Another build may accept different texts; from source there is no build identity. */
function cacheOf(env: Readonly<Record<string, string | undefined>>): UserCache | undefined {
  try {
    const build = readFileSync(`${import.meta.dirname}/../build-id`, "latin1").trim();
    return userCache(`${build}-facts`, env);
  } catch {
    return undefined;
  }
}

/** Loading `node:crypto` takes longer than a short command. The text itself is compared, so a weak hash is enough. */
function fileNameOf(text: string): string {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
  return `${(hash >>> 0) % MOST_TEXTS}.json`;
}
