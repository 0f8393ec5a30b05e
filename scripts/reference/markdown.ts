/** Escapes characters that would end a cell. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return [headings, headings.map(() => "---"), ...rows].map(line).join("\n");
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

export function codes(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}

/** The note at the top names the source. */
export function page(title: string, source: string, ...parts: readonly string[]): string {
  return [`# ${title}`, `<!-- Generated from ${source} by \`npm run generate\`. Do not edit. -->`, ...parts, ""].join(
    "\n\n",
  );
}
