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

/** Up to the first NUL, or the first replacement character that the file does not hold, each character is as in the file. */
function invalidOffset(bytes: Uint8Array): number {
  const encoder = new TextEncoder();
  let offset = 0;
  for (const character of new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)) {
    const own = encoder.encode(character);
    if (character === "\0" || own.some((byte, at) => bytes[offset + at] !== byte)) return offset;
    offset += own.length;
  }
  return bytes.length;
}
