/** By which column rows are sorted, and which way. */
export interface Sorting<Column extends string> {
  readonly by: Column;
  readonly isDescending: boolean;
}
