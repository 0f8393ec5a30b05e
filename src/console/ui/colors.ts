/** A canvas cannot read CSS custom properties, but its element can. */
export interface ChartColors {
  readonly first: string;
  readonly others: string;
  readonly fill: string;
  readonly fillEnd: string;
  readonly muted: string;
  readonly grid: string;
}

/** @param element styled with `color` for the line, `outline-color` for words and `border-top-color` for the grid */
export function readColors(element: Element): ChartColors {
  const { color, outlineColor, borderTopColor } = getComputedStyle(element);
  return {
    first: color,
    others: withAlpha(color, 0.45),
    fill: withAlpha(color, 0.2),
    fillEnd: withAlpha(color, 0.02),
    muted: outlineColor,
    grid: borderTopColor,
  };
}

function withAlpha(color: string, alpha: number): string {
  const [, channels] = /^rgba?\(([^/]*?)\)$/.exec(color) ?? [];
  const [red, green, blue] = (channels ?? "").split(/[\s,]+/);
  return blue === undefined ? color : `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}
