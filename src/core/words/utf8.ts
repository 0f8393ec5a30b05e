/** Creating one takes as long as reading a small file. */
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Keeps a byte order mark; `undefined` also for a NUL. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** No content, which may be secret. */
export function describeInvalidUtf8(bytes: Uint8Array): string {
  if (isUtf16(bytes)) return "The file is UTF-16, from byte offset 0 on. Save it as UTF-8.";
  const offset = invalidOffset(bytes);
  const line = bytes.subarray(0, offset).reduce((count, byte) => (byte === 0x0a ? count + 1 : count), 1);
  const what = bytes[offset] === 0 ? "holds a NUL byte, so it is not text" : "is not UTF-8 text";
  return `The file ${what}: byte offset ${offset}, in line ${line}.`;
}

/** As YAML does: by the byte order mark, or because one of the first two bytes is zero. */
function isUtf16([first, second]: Uint8Array): boolean {
  const hasMark = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return hasMark || (first === 0) !== (second === 0);
}

/** First and last lead byte, length of the sequence, bounds of its second byte. */
const SEQUENCES = [
  [0x01, 0x7f, 1, 0x80, 0xbf],
  [0xc2, 0xdf, 2, 0x80, 0xbf],
  [0xe0, 0xe0, 3, 0xa0, 0xbf],
  [0xe1, 0xec, 3, 0x80, 0xbf],
  [0xed, 0xed, 3, 0x80, 0x9f],
  [0xee, 0xef, 3, 0x80, 0xbf],
  [0xf0, 0xf0, 4, 0x90, 0xbf],
  [0xf1, 0xf3, 4, 0x80, 0xbf],
  [0xf4, 0xf4, 4, 0x80, 0x8f],
] as const;

function invalidOffset(bytes: Uint8Array): number {
  for (let offset = 0; offset < bytes.length;) {
    const length = sequenceLength(bytes, offset);
    if (length === 0) return offset;
    offset += length;
  }
  return bytes.length;
}

function sequenceLength(bytes: Uint8Array, offset: number): number {
  const lead = bytes[offset] ?? 0;
  const row = SEQUENCES.find(([from, to]) => lead >= from && lead <= to);
  if (!row) return 0;
  const [, , length, min, max] = row;
  const tail = bytes.subarray(offset + 1, offset + length);
  const isComplete = tail.length === length - 1;
  const fits = tail.every((byte, index) => byte >= (index === 0 ? min : 0x80) && byte <= (index === 0 ? max : 0xbf));
  return isComplete && fits ? length : 0;
}
