import { signal, type ReadonlySignal } from "@preact/signals";
import type { Api } from "../data/api.ts";

const EVERY_MS = 15_000;
const WHILE_OFFLINE_MS = 3_000;

/** Whether the server answers, and which version of it. */
export interface ServerWatch {
  readonly isOnline: ReadonlySignal<boolean>;
  readonly version: ReadonlySignal<string | undefined>;
  /** Another version than the one that served this page; a reload brings its page. */
  readonly newVersion: ReadonlySignal<string | undefined>;
  /** Asks now. */
  look(): Promise<void>;
  /** Another request was answered, or was not: there is no need to wait for the next look. */
  told(isReached: boolean): void;
}

export function watchServer(api: Pick<Api, "health">): ServerWatch {
  const isOnline = signal(true);
  const version = signal<string | undefined>();
  const newVersion = signal<string | undefined>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let looks = 0;
  const lookLater = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void look(), isOnline.value ? EVERY_MS : WHILE_OFFLINE_MS);
  };
  const look = async (): Promise<void> => {
    clearTimeout(timer);
    looks += 1;
    try {
      const health = await api.health();
      isOnline.value = true;
      version.value ??= health.version;
      newVersion.value = health.version === version.value ? undefined : health.version;
    } catch {
      isOnline.value = false;
    }
    looks -= 1;
    lookLater();
  };
  const told = (isReached: boolean): void => {
    if (isReached === isOnline.value) return;
    isOnline.value = isReached;
    // A look that is under way says the rest itself.
    if (looks > 0) return;
    if (isReached) void look();
    else lookLater();
  };
  return { isOnline, version, newVersion, look, told };
}
