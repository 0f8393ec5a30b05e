type Digest = (bytes: Uint8Array) => string;

interface Digester {
  readonly host: { keyedDigest(): Promise<Digest> };
}

/** The content may hold secrets that are short enough to try out, so the tag is not their plain digest. */
export async function entityTag({ host }: Digester, bytes: Uint8Array): Promise<string> {
  return quoted(await host.keyedDigest(), bytes);
}

/**
 * @param ifMatch a list of entity tags, as in the If-Match header; without it, every content matches
 * @returns a function that compares at once, for a transaction
 */
export async function tagMatcher(
  { host }: Digester,
  ifMatch: string | undefined,
): Promise<(bytes: Uint8Array) => boolean> {
  const tags = new Set(ifMatch?.split(",").map((tag) => tag.trim()) ?? ["*"]);
  if (tags.has("*")) return () => true;
  const digest = await host.keyedDigest();
  return (bytes) => tags.has(quoted(digest, bytes));
}

function quoted(digest: Digest, bytes: Uint8Array): string {
  return `"${digest(bytes)}"`;
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
