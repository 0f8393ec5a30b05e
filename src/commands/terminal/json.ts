/** JSON permits these unescaped, but a terminal obeys them. */
const STEERING = /[\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/** Exact for every parser and without effect on a terminal. */
export function jsonText(document: unknown, indent?: number): string {
  return JSON.stringify(document, null, indent).replaceAll(
    STEERING,
    (unseen) => `\\u${unseen.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
