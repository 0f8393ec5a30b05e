/** A text as programs also write it: in JSON, in a URL or a form, in Node's own output, in base64 and in hex. */
export function encodedSpellings(text: string): string[] {
  const json = inJson(text);
  const url = encodeURIComponent(text.toWellFormed());
  const form = url.replaceAll("%20", "+").replaceAll(/[!'()~]/g, (mark) => `%${hexOf(mark).toUpperCase()}`);
  const bytes = new TextEncoder().encode(text);
  const hex = hexOf(bytes);
  return [
    json,
    inJson(json),
    inspected(json),
    url,
    form,
    ...[url, form].map((one) => one.replaceAll(/%../g, (byte) => byte.toLowerCase())),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((before) => inBase64(bytes, before)),
  ];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** `console.log` of an object quotes with the mark that the text does not have. With all three, it escapes `'`. */
function inspected(json: string): string {
  const text = json.replaceAll(String.raw`\"`, '"');
  return ['"', "'", "`"].every((mark) => text.includes(mark)) ? text.replaceAll("'", String.raw`\'`) : text;
}

function hexOf(value: string | Uint8Array): string {
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * Base64 writes three bytes as four characters, so the same bytes look different behind others, such as in `user:secret`.
 * Characters that also depend on the neighbours are left out.
 */
function inBase64(bytes: Uint8Array, before: number): string[] {
  const padded = Uint8Array.from([...new Uint8Array(before), ...bytes]);
  const text = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join(""));
  const own = text.slice(Math.ceil((before * 8) / 6), Math.floor((padded.length * 8) / 6));
  return [own, own.replaceAll("+", "-").replaceAll("/", "_")];
}
