interface Digester {
  readonly host: { digest(bytes: Uint8Array): string };
}

export function entityTag({ host }: Digester, bytes: Uint8Array): string {
  return `"${host.digest(bytes)}"`;
}

/** @param ifMatch a list of entity tags, as in the If-Match header */
export function matchesTag(ports: Digester, bytes: Uint8Array, ifMatch: string): boolean {
  const tags = new Set(ifMatch.split(",").map((tag) => tag.trim()));
  return tags.has("*") || tags.has(entityTag(ports, bytes));
}

/** `fetch` refuses a URL with a name and a password, so they go into a header. */
export function withBasicHeader(address: URL | string): {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
} {
  const url = new URL(address);
  const { username, password } = url;
  if (username === "" && password === "") return { url, headers: {} };
  [url.username, url.password] = ["", ""];
  const bytes = new TextEncoder().encode(`${decode(username)}:${decode(password)}`);
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return { url, headers: { authorization: `Basic ${text}` } };
}

/** A lone `%` stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
