/** Characters that JSON need not escape and a terminal obeys: control characters, and marks of direction. */
const STEERING = /[\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g;

/** A document as JSON text, exact for every parser and without an effect on a terminal. */
export function jsonText(document: unknown, indent?: number): string {
  return JSON.stringify(document, null, indent).replaceAll(
    STEERING,
    (unseen) => `\\u${unseen.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
