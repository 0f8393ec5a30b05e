/** Documents that are made to crash, block or exhaust a parser, each filled up to a size. */

/** Repeats the generated text up to the size. */
function filled(size: number, head: string, piece: (index: number) => string): string {
  const pieces = [head];
  for (let [index, length] = [0, head.length]; length < size; index++) {
    const next = piece(index);
    pieces.push(next);
    length += next.length;
  }
  return pieces.join("");
}

const WRONG = ["name", "region", "runtime", "serviceType", "deployTarget", "runtimeProtocol", "databaseDriver"]
  .map((field, index) => `${index === 0 ? "" : "    "}${field}: \u200B${field}`)
  .join("\n");

/** One text of about this size for each name. */
export const hostileDocuments: Readonly<Record<string, (size: number) => string>> = {
  "a wide map": (size) => filled(size, "", (index) => `k${index}: v\n`),
  "a wide map of ports": (size) => filled(size, "serviceConfiguration:\n  ports:\n", (index) => `    p${index}: 1\n`),
  "a wide map in JSON": (size) => `${filled(size, '{"version":1', (index) => `,"k${index}":[]`)}}`,
  "a wide map with an anchor": (size) => filled(size, "a: &a 1\n", (index) => `k${index}: *a\n`),
  "duplicate keys": (size) => filled(size, "", () => "version: 1\n"),
  "duplicate keys in JSON": (size) => `${filled(size, '{"a":1', () => ',"a":1')}}`,
  "deep flow lists": (size) => "[".repeat(size / 2) + "]".repeat(size / 2),
  "open flow lists": (size) => "[".repeat(size),
  "deep flow maps": (size) => filled(size, "", () => "{a: "),
  "deep block lists": (size) => "- ".repeat(size / 2),
  "deep block maps": (size) => {
    const depth = Math.floor(Math.sqrt(2 * size));
    return Array.from({ length: depth }, (_, level) => `${" ".repeat(level)}a:\n`).join("");
  },
  "complex keys": (size) => "? ".repeat(size / 2),
  anchors: (size) => filled(size, "deployments:\n", (index) => `- &a${index} x\n`),
  "anchors and aliases": (size) => filled(size, "deployments:\n", (index) => `- &a${index} x\n- *a${index}\n`),
  "one anchor again and again": (size) => filled(size, "deployments:\n", () => "- &a x\n- *a\n"),
  "aliases of one map": (size) => filled(size, "x: &a {}\ndeployments:\n", () => "- *a\n"),
  "aliases of nothing": (size) => filled(size, "deployments:\n", () => "- *a\n"),
  "an alias bomb": (size) => filled(size, "a0: &a0 [x]\n", (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]\n`),
  tags: (size) => filled(size, "deployments:\n", () => "- !t x\n"),
  "entries that are nothing": (size) => filled(size, "deployments:\n", () => "-\n"),
  "entries that are empty": (size) => filled(size, "deployments:\n", () => "- {}\n"),
  "entries wrong in every field": (size) => filled(size, "deployments:\n", () => `  - ${WRONG}\n    pm2Profile: 1\n`),
  "entries of unknown keys": (size) => filled(size, "deployments:\n", () => "- {a: 1, b: 1, c: 1, d: 1}\n"),
  "entries of numbers": (size) => filled(size, "deployments:\n", () => "- name: 0x1F\n  region: 1.10\n"),
  "entries wrong, read by the parser": (size) => filled(size, "x: &x !!str y\ndeployments:\n", () => "- {name: 1}\n"),
  "interfaces of one controller": (size) => filled(size, "interfaces:\n", () => "- controller: AController.b\n"),
  "booleans of YAML 1.1": (size) => filled(size, "deployments:\n", () => "- yes\n"),
  "a long text": (size) => `deployments:\n- name: ${"x".repeat(size)}\n`,
  "a long text of astral characters": (size) => `deployments:\n- name: ${"\u{1F600}".repeat(size / 4)}\n`,
  "a long quoted text": (size) => `deployments:\n- name: "${"\\u200B".repeat(size / 6)}"\n`,
  "a long runtime": (size) => `deployments:\n- runtime: a${"-1".repeat(size / 2)}-\n`,
  "a long URL": (size) => `deployments:\n- name: https://${"a:@".repeat(size / 3)}\n`,
  "issues behind a long key": (size) => `? ${"k".repeat(size / 2)}\n: [${"on,".repeat(size / 7)}]\n`,
  "issues behind long keys": (size) => {
    const keys = Array.from({ length: 15 }, (_, level) => `${" ".repeat(level)}${"k".repeat(1000)}:\n`);
    return `${keys.join("")}${" ".repeat(15)}[${"on,".repeat(Math.max(size - 16_000, 0) / 3)}]\n`;
  },
  "a long key": (size) => `${"k".repeat(size)}: 1\n`,
  "a text of many lines": (size) => filled(size, "a: b\n", () => "  c\n"),
  "a block scalar": (size) => filled(size, "a: |\n", () => "  c\n"),
  "an open quote": (size) => `a: "${"b ".repeat(size / 2)}`,
  "open quotes": (size) => filled(size, "", () => 'a: "b\n'),
  "an open single quote": (size) => filled(size, "a: '", () => "b''\n"),
  "comments only": (size) => filled(size, "", () => "# c\n"),
  "a long comment": (size) => `a: 1 ${"#".repeat(size)}\n`,
  "blank lines": (size) => "\n".repeat(size),
  spaces: (size) => " ".repeat(size),
  "spaces after each value": (size) => `a:${" ".repeat(size)}b${" ".repeat(10)}\n`,
  tabs: (size) => "a:\t".repeat(size / 3),
  "carriage returns only": (size) => filled(size, "", (index) => `k${index}: v\r`),
  colons: (size) => ":".repeat(size),
  "colons and spaces": (size) => ": ".repeat(size / 2),
  commas: (size) => `[${",".repeat(size)}]`,
  documents: (size) => "---\n".repeat(size / 4),
  directives: (size) => filled(size, "", () => "%YAML 1.2\n"),
  // Without a NUL byte, because the file would then be refused as binary.
  controls: (size) => "\u001B[31m\u0007\u0001".repeat(size / 7),
};
