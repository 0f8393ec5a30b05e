import type { YamlSource } from "../source.ts";
import { DocumentScan } from "./block.ts";
import { Declined } from "./cursor.ts";
import { LineTable } from "./line-table.ts";
import { offsetAt, type Place, places, writtenAt } from "./places.ts";
import { values } from "./values.ts";

const UNCOMMON = /[^\n -~]/;
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const UNUSUAL = /[\u0000-\u0009\u000B\u000C\u000E-\u001F\u007F-\u009F\u2028\u2029\uFEFF]|\r(?!\n)/;

/**
 * Reads common style with the same value and places as the parser, several times faster: block maps and lists, scalars
 * and flow collections on one line, and JSON.
 * @returns `undefined` for other text, and for a text with an issue
 */
export function scanYaml(text: string, file: string): YamlSource | undefined {
  const source = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (UNCOMMON.test(source) && UNUSUAL.test(source)) return undefined;
  try {
    return new Scanned(source, file, new DocumentScan(source, values).run());
  } catch (error) {
    if (error instanceof Declined) return undefined;
    throw error;
  }
}

/** Places are computed on first use, because most documents are valid. */
class Scanned implements YamlSource {
  readonly file: string;
  readonly value: unknown;
  readonly issues = [];
  readonly #source: string;
  #lines: LineTable | undefined;
  #root: Place | undefined;

  constructor(source: string, file: string, value: unknown) {
    this.#source = source;
    this.file = file;
    this.value = value;
  }

  at(path: readonly (string | number)[], part: "key" | "value" = "value") {
    this.#lines ??= new LineTable(this.#source);
    return { file: this.file, ...this.#lines.placeOf(offsetAt(this.#places(), path, part)) };
  }

  written(path: readonly (string | number)[]): string | undefined {
    return writtenAt(this.#places(), path);
  }

  #places(): Place {
    this.#root ??= new DocumentScan(this.#source, places).run();
    return this.#root;
  }
}
