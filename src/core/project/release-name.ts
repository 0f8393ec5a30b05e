/** A number, a date, a version or a commit, alone or joined. */
const RELEASE = /^(?:releases?|current|[vr]?\d[\d._T:-]*Z?(?:[-_][0-9a-f]{7,40})?|[0-9a-f]{7,40})$/i;

/** Folders with such names are releases of what their parent folder holds. */
export function isReleaseName(name: string): boolean {
  return RELEASE.test(name);
}
