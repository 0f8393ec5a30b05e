/** No date or number in practice is longer. */
const LONGEST = 40;

const OTHERS = [
  [/^(?:y|yes|n|no|on|off)$/i, "a boolean"],
  [/^\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)?$/, "a date"],
  [/^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/, "a number"],
  [/^[-+]?(?:0b[01_]+|0x[\da-f_]+|\d[\d_]*_[\d_]*(?:\.[\d_]*)?)$/i, "a number"],
] as const;

/** In YAML 1.1. */
export function kindElsewhere(source: string): string | undefined {
  if (source.length > LONGEST) return undefined;
  return OTHERS.find(([form]) => form.test(source))?.[1];
}
