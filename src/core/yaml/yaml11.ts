/** No date or number in practice is longer. */
const MAX_LENGTH = 40;

const YAML_1_1_FORMS = [
  [/^(?:y|yes|n|no|on|off)$/i, "a boolean"],
  [/^\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)?$/, "a date"],
  [/^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.[\d_]*)?$/, "a number"],
  [/^[-+]?(?:0b[01_]+|0x[\da-f_]+|\d[\d_]*_[\d_]*(?:\.[\d_]*)?)$/i, "a number"],
] as const;

export function yaml11Kind(source: string): string | undefined {
  if (source.length > MAX_LENGTH) return undefined;
  return YAML_1_1_FORMS.find(([form]) => form.test(source))?.[1];
}
