/** wrap-ansi 7 carries no types; later versions measure wide characters differently from cli-table3. */
declare module "wrap-ansi" {
  export default function wrapAnsi(
    text: string,
    columns: number,
    options?: { hard?: boolean; trim?: boolean; wordWrap?: boolean },
  ): string;
}
