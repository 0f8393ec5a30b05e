/** Typical documents, and typical mistakes of typing, merging and tools. */
import { readFileSync } from "node:fs";

const FILES = [
  "deployments.yaml",
  "test/fixtures/deployments/good.yaml",
  "test/fixtures/deployments/many-faults.yaml",
  "test/fixtures/deployments/kinds.yaml",
  "test/fixtures/deployments/legacy.json",
];
const MADE = [
  "a:\n  - b: 1\n    c:\n    - x\n    - - y1\n      - z\n  -\n    d: 'it''s' # c\n\ne: {f: [1, 2.5, \"q\\n\"], g: ~}\nh:\n# c\ni: -0x1\n",
  '{"a": [1, 2e3, {"b": "\\u00e9\\/", "c": null}], "d": -0.5}\n',
  "- 1\n- - a\n  - b\n- c: d\n  e: f\n-   g: h\n    i:\n     - j\n",
  "---\n# c\n'a b': !!str x\r\n\"c\": &d [ *e ]\r\nf: |\r\n  text\r\n",
];
const BITS =
  " |  |\n|\n\n|:|: |- |-|#| #|'|\"|{|}|[|]|,|\r\n|\r|\t|~|null|yes|no|0o7|0x1f|+1|1.|1e3|.inf|.NaN|.5|&a |*a|!t |> |---\n|...|%|@|`|?|? |<<: |__proto__: |\\|\\n|\\u0041|\\ud83d|é|😀|\u2028|\uFEFF|\u0085|a|b: c|1: 2|true|False|=|/|\u00A0|''|\"\"|[]|{}|[a, b]|{a: b}|x: \n|-1|9007199254740993".split(
    "|",
  );
const PIPE = "|";

type Random = (limit: number) => number;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 8) % limit;
  };
}

export function realDocuments(): string[] {
  const read = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), "utf8");
  return [...FILES.map(read), ...MADE];
}

/** A document, or some adjacent lines of one, with one to four changes. */
export function mutant(documents: readonly string[], random: Random): string {
  let text = documents[random(documents.length)] ?? "";
  if (random(3) > 0) text = excerpt(text, random);
  for (let changes = random(4); changes >= 0; changes--) text = changed(text, random);
  return text;
}

function excerpt(text: string, random: Random): string {
  const lines = text.split("\n");
  if (lines.length < 12) return text;
  const start = random(lines.length - 10);
  const indent = (line = ""): number => line.search(/\S|$/);
  const margin = indent(lines[start]);
  return lines
    .slice(start, start + 3 + random(8))
    .map((line) => line.slice(Math.min(margin, indent(line))))
    .join("\n");
}

function changed(text: string, random: Random): string {
  const at = random(text.length + 1);
  switch (random(5)) {
    case 0:
    case 1:
      return text.slice(0, at) + ([...BITS, PIPE][random(BITS.length + 1)] ?? "") + text.slice(at);
    case 2:
      return text.slice(0, at) + text.slice(at + 1 + random(4));
    case 3: {
      const from = random(text.length + 1);
      return text.slice(0, at) + text.slice(from, from + random(20)) + text.slice(at);
    }
    default:
      return withLineChanged(text.split("\n"), random);
  }
}

function withLineChanged(lines: string[], random: Random): string {
  const at = random(lines.length);
  const line = lines[at] ?? "";
  const replacements = [[` ${line}`], [line.slice(1)], [], [line, lines[random(lines.length)] ?? ""]];
  return lines.toSpliced(at, 1, ...(replacements[random(replacements.length)] ?? [])).join("\n");
}
