import type { Paint } from "../../core/index.ts";
import type { ColourLevel } from "./screen.ts";

const plain = (text: string): string => text;
const PLAIN: Paint = { bold: plain, dim: plain, red: plain, yellow: plain, green: plain, cyan: plain };

/** chalk at the given level; it is not loaded where there is no colour. */
export async function paint(level: ColourLevel): Promise<Paint> {
  if (level === 0) return PLAIN;
  const { Chalk } = await import("chalk");
  return new Chalk({ level });
}
