/** Upper case first, because letters such as the two small sigmas share one capital. */
export function foldName(name: string): string {
  return name.trim().normalize("NFC").toUpperCase().toLowerCase();
}
