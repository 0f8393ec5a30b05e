const PAGE_SIZE = 6;
const CLOCK_TICKS = 17;
const WORD_BYTES = 8;

export interface Units {
  readonly pageBytes: number;
  readonly ticksPerSecond: number;
}

const COMMON: Units = { pageBytes: 4096, ticksPerSecond: 100 };

/** The units that the kernel handed this process in `/proc/self/auxv`: pairs of 64-bit words. @see getauxval(3) */
export function parseAuxv(bytes: Uint8Array, isLittleEndian: boolean): Units {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = new Map<number, number>();
  for (let at = 0; at + 2 * WORD_BYTES <= view.byteLength; at += 2 * WORD_BYTES) {
    found.set(
      Number(view.getBigUint64(at, isLittleEndian)),
      Number(view.getBigUint64(at + WORD_BYTES, isLittleEndian)),
    );
  }
  return {
    pageBytes: found.get(PAGE_SIZE) ?? COMMON.pageBytes,
    ticksPerSecond: found.get(CLOCK_TICKS) ?? COMMON.ticksPerSecond,
  };
}
