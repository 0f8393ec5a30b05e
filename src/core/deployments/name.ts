/**
 * Compares names without case, in NFC. The text is upper-cased first, because letters such as the two small sigmas
 * share one capital letter.
 */
export function foldName(name: string): string {
  return name.trim().normalize("NFC").toUpperCase().toLowerCase();
}
