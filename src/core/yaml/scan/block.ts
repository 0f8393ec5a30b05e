import type { Builder } from "./builder.ts";
import { plainValue } from "./core-schema.ts";
import { CR, Cursor, DASH, decline, HASH, MAX_DEPTH, OPEN_LIST, OPEN_MAP, SPACE } from "./cursor.ts";
import { ON_ANY_LINE, ON_ONE_LINE, scanFlow } from "./flow.ts";
import { scanKey, scanPlain, scanQuoted } from "./scalars.ts";

const MARKER = /---\r?\n/y;
const NO_LINE = -1;

export class DocumentScan<Node> {
  readonly #cursor: Cursor;
  readonly #builder: Builder<Node>;
  #indent = NO_LINE;

  constructor(text: string, builder: Builder<Node>) {
    this.#cursor = new Cursor(text);
    this.#builder = builder;
  }

  run(): Node {
    const cursor = this.#cursor;
    this.#findLine();
    if (this.#indent === 0 && cursor.skip(MARKER)) this.#findLine();
    if (!this.#isAtFlow()) {
      const root = this.#collection(0);
      return this.#indent === NO_LINE ? root : decline();
    }
    const root = scanFlow(cursor, this.#builder, ON_ANY_LINE, 0);
    cursor.skip(ON_ANY_LINE);
    return cursor.isAtEnd() ? root : decline();
  }

  #collection(depth: number): Node {
    if (this.#indent === NO_LINE) decline();
    return this.#isAtItem() ? this.#list(this.#indent, depth) : this.#map(this.#indent, depth);
  }

  #map(indent: number, depth: number): Node {
    if (depth > MAX_DEPTH) decline();
    const map = this.#builder.map(this.#cursor.position);
    do {
      const keyStart = this.#cursor.position;
      const key = scanKey(this.#cursor) ?? decline();
      const value = this.#entryValue(indent, depth + 1);
      if (!this.#builder.entry(map, key, keyStart, value)) decline();
    } while (this.#indent === indent && !this.#isAtItem());
    return this.#indent > indent ? decline() : map;
  }

  /** The value is on the same line or below. A list below may have the same indent as its key. */
  #entryValue(indent: number, depth: number): Node {
    this.#cursor.skipSpaces();
    if (!this.#isAtLineRest()) return this.#inline(depth);
    const empty = this.#cursor.position;
    this.#nextLine();
    if (this.#indent > indent) return this.#collection(depth);
    if (this.#indent === indent && this.#isAtItem()) return this.#list(indent, depth);
    return this.#builder.scalar(empty, null, "");
  }

  #list(indent: number, depth: number): Node {
    if (depth > MAX_DEPTH) decline();
    const list = this.#builder.list(this.#cursor.position);
    do this.#builder.item(list, this.#itemValue(indent, depth + 1));
    while (this.#indent === indent && this.#isAtItem());
    return this.#indent > indent ? decline() : list;
  }

  #itemValue(indent: number, depth: number): Node {
    const cursor = this.#cursor;
    const dash = cursor.position++;
    cursor.skipSpaces();
    if (this.#isAtLineRest()) {
      const empty = cursor.position;
      this.#nextLine();
      return this.#indent > indent ? this.#collection(depth) : this.#builder.scalar(empty, null, "");
    }
    const inner = indent + cursor.position - dash;
    if (this.#isAtItem()) return this.#list(inner, depth);
    const { position } = cursor;
    const isMap = scanKey(cursor) !== undefined;
    cursor.position = position;
    return isMap ? this.#map(inner, depth) : this.#inline(depth);
  }

  #inline(depth: number): Node {
    const node = this.#isAtFlow() ? scanFlow(this.#cursor, this.#builder, ON_ONE_LINE, depth) : this.#scalar();
    this.#nextLine();
    return node;
  }

  #scalar(): Node {
    const start = this.#cursor.position;
    const quoted = scanQuoted(this.#cursor);
    if (quoted !== undefined) return this.#builder.scalar(start, quoted, quoted);
    const plain = scanPlain(this.#cursor);
    return this.#builder.scalar(start, plainValue(plain), plain);
  }

  /** Skips an empty rest or a comment, then moves to the next line with content. */
  #nextLine(): void {
    const cursor = this.#cursor;
    const isSpaced = cursor.unit() === SPACE || cursor.unit(-1) === SPACE;
    cursor.skipSpaces();
    if (cursor.unit() === HASH && isSpaced) this.#skipComment();
    if (!cursor.isAtLineEnd()) decline();
    cursor.position += cursor.unit() === CR ? 2 : 1;
    this.#findLine();
  }

  #findLine(): void {
    const cursor = this.#cursor;
    this.#indent = NO_LINE;
    while (!cursor.isAtEnd()) {
      const start = cursor.position;
      cursor.skipSpaces();
      if (cursor.unit() === HASH) this.#skipComment();
      if (!cursor.isAtLineEnd()) {
        this.#indent = cursor.position - start;
        return;
      }
      cursor.position += cursor.unit() === CR ? 2 : 1;
    }
  }

  #skipComment(): void {
    this.#cursor.position = this.#cursor.text.indexOf("\n", this.#cursor.position);
  }

  #isAtItem(): boolean {
    const cursor = this.#cursor;
    return cursor.unit() === DASH && (cursor.unit(1) === SPACE || cursor.isAtLineEnd(1));
  }

  #isAtFlow(): boolean {
    const unit = this.#cursor.unit();
    return unit === OPEN_LIST || unit === OPEN_MAP;
  }

  #isAtLineRest(): boolean {
    const cursor = this.#cursor;
    return cursor.isAtLineEnd() || cursor.unit() === HASH;
  }
}
