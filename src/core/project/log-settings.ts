/** The size that a log may have, and the number of its rotated files that stay. */
export interface LogSettings {
  readonly maxBytes: number;
  readonly keep: number;
  readonly compress: boolean;
}

export interface DeclaredLogs {
  readonly maxSize?: string | undefined;
  readonly keep?: number | undefined;
  readonly compress?: boolean | undefined;
}

const UNITS: Readonly<Record<string, number>> = { K: 2 ** 10, M: 2 ** 20 };

/** @param maxSize of the form LOG_SIZE */
export function logSettings({ maxSize = "50M", keep = 10, compress = true }: DeclaredLogs): LogSettings {
  return { maxBytes: Number(maxSize.slice(0, -1)) * (UNITS[maxSize.slice(-1)] ?? 0), keep, compress };
}
