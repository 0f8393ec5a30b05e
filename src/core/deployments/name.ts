/**
 * A name as names are compared: without regard to case, in any script, and in one normal form. Capitals come first,
 * because letters such as the two small sigmas have one capital.
 */
export function foldName(name: string): string {
  return name.trim().normalize("NFC").toUpperCase().toLowerCase();
}
