export type ScalarValue = string | number | boolean | null;

/** Builds plain data, or the locations of nodes. Offsets are UTF-16 units. */
export interface Builder<Node> {
  /** @param source the text of the scalar, without quotes and escapes */
  scalar(start: number, value: ScalarValue, source: string): Node;
  list(start: number): Node;
  item(list: Node, value: Node): void;
  map(start: number): Node;
  /** Returns false if the map already has the key. */
  entry(map: Node, key: string, keyStart: number, value: Node): boolean;
}
