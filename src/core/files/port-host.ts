export interface Host {
  /** SHA-256, base64url. */
  digest(bytes: Uint8Array): string;

  randomId(): string;

  /** The `machine-id`, or the host name. It identifies the machine, so only a digest of it may leave the process. */
  machineId(): Promise<string>;

  cpuCores(): number;

  /** The host name. */
  name(): string;
}

export interface Clock {
  /** Milliseconds since 1970, for users and files. Jumps when the clock is set. */
  now(): number;

  /** Milliseconds on a monotonic clock, for deadlines and intervals. */
  elapsed(): number;

  /** @throws the signal's reason if it is aborted */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface HasClock {
  readonly clock: Clock;
}

export interface HasHost {
  readonly host: Host;
}
