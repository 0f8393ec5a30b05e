/** A Markdown table; cells are escaped where they would end one. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headings, headings.map(() => "---"), ...rows].map(line).join("\n");
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Words as code, comma separated. */
export function codes(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}

/** A generated page. The note at the top names its source. */
export function page(title: string, source: string, ...parts: readonly string[]): string {
  return [`# ${title}`, `<!-- Generated from ${source} by \`npm run generate\`. Do not edit. -->`, ...parts, ""].join(
    "\n\n",
  );
}
