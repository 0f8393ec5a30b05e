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
