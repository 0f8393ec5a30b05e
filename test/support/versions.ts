/** Contents in which every byte depends on the version, and whose size changes with it. */
export function contentOf(version: number): Buffer {
  const lines = Array.from({ length: 40 + (version % 50) }, (_, line) => `SVC_KEY_${line}=value-${version}`);
  return Buffer.from(`SVC_VERSION=${version}\n${lines.join("\n")}\n`);
}

/** @throws if the content does not equal that of a version, byte for byte */
export function versionOf(content: Uint8Array): number {
  const text = Buffer.from(content).toString();
  const version = Number(/^SVC_VERSION=(\d+)$/m.exec(text)?.[1]);
  if (!contentOf(version).equals(content)) throw new Error(`No whole version: ${JSON.stringify(text)}`);
  return version;
}
