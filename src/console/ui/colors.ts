/** A canvas cannot read CSS custom properties, but its element can. */
export interface Ink {
  readonly strong: string;
  readonly faint: string;
  readonly wash: string;
  readonly clear: string;
  readonly muted: string;
  readonly line: string;
}

/** @param element styled with `color` for the line, `outline-color` for words and `border-top-color` for the grid */
export function inkOf(element: Element): Ink {
  const { color, outlineColor, borderTopColor } = getComputedStyle(element);
  return {
    strong: color,
    faint: withAlpha(color, 0.45),
    wash: withAlpha(color, 0.2),
    clear: withAlpha(color, 0.02),
    muted: outlineColor,
    line: borderTopColor,
  };
}

function withAlpha(color: string, alpha: number): string {
  const [, channels] = /^rgba?\(([^/]*?)\)$/.exec(color) ?? [];
  const [red, green, blue] = (channels ?? "").split(/[\s,]+/);
  return blue === undefined ? color : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}
