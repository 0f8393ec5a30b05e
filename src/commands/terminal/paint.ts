import type { ColourLevel } from "./screen.ts";

/** The few colours of the command line. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly green: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const plain = (text: string): string => text;
const PLAIN: Paint = { bold: plain, dim: plain, red: plain, yellow: plain, green: plain, cyan: plain };

/** chalk at the given level; it is not loaded where there is no colour. */
export async function paint(level: ColourLevel): Promise<Paint> {
  if (level === 0) return PLAIN;
  const { Chalk } = await import("chalk");
  return new Chalk({ level });
}
