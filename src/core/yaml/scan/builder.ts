/** A scalar of the core schema. */
export type ScalarValue = string | number | boolean | null;

/** What a scan makes of the nodes it reads: the plain data, or where everything stands. Offsets are UTF-16 units. */
export interface Builder<Node> {
  /** @param written the scalar as it stands in the text, without quotes and escapes */
  scalar(start: number, value: ScalarValue, written: string): Node;
  list(start: number): Node;
  item(list: Node, value: Node): void;
  map(start: number): Node;
  /** False where the map has the key already. */
  entry(map: Node, key: string, keyStart: number, value: Node): boolean;
}
