import type { Path, YamlSource } from "../source.ts";
import { DocumentScan } from "./block.ts";
import { Declined } from "./cursor.ts";
import { offsetAt, type NodeLocation, locationBuilder, scalarSourceAt } from "./locations.ts";
import type { Builder } from "./builder.ts";

const UNCOMMON = /[^\n -~]/;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNUSUAL = /[\u0000-\u0009\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\uFEFF]|\r(?!\n)/;

/**
 * Reads common YAML several times faster than the parser, with the same value and locations: block maps and lists,
 * scalars and flow collections on one line, and JSON.
 * @returns `undefined` for other text, and for a text with an issue
 */
export function scanYaml(text: string, file: string): YamlSource | undefined {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (UNCOMMON.test(source) && UNUSUAL.test(source)) return undefined;
  try {
    return new ScannedSource(source, file, new DocumentScan(source, valueBuilder).run());
  } catch (error) {
    if (error instanceof Declined) return undefined;
    throw error;
  }
}

/** Locations are computed on first use, because most documents are valid. */
class ScannedSource implements YamlSource {
  readonly #file: string;
  readonly value: unknown;
  readonly issues = [];
  readonly #source: string;
  #lines: LineTable | undefined;
  #root: NodeLocation | undefined;

  constructor(source: string, file: string, value: unknown) {
    this.#source = source;
    this.#file = file;
    this.value = value;
  }

  at(path: Path, part: "key" | "value" = "value") {
    this.#lines ??= new LineTable(this.#source);
    return { file: this.#file, ...this.#lines.locate(offsetAt(this.#locations(), path, part)) };
  }

  scalarSource(path: Path): string | undefined {
    return scalarSourceAt(this.#locations(), path);
  }

  #locations(): NodeLocation {
    this.#root ??= new DocumentScan(this.#source, locationBuilder).run();
    return this.#root;
  }
}

class LineTable {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", end + 1)) this.#starts.push(end + 1);
  }

  locate(offset: number): { readonly line: number; readonly column: number } {
    let [line, beyond] = [0, this.#starts.length];
    while (beyond - line > 1) {
      const middle = (line + beyond) >> 1;
      if ((this.#starts[middle] ?? Infinity) <= offset) line = middle;
      else beyond = middle;
    }
    return { line: line + 1, column: offset - (this.#starts[line] ?? 0) + 1 };
  }
}

const valueBuilder: Builder<unknown> = {
  scalar: (_start, value) => value,
  list: () => [],
  item(list, value) {
    (list as unknown[]).push(value);
  },
  map: () => ({}),
  entry(map, key, _keyStart, value) {
    const record = map as Record<string, unknown>;
    if (Object.hasOwn(record, key)) return false;
    record[key] = value;
    return true;
  },
};
