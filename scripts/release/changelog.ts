const UNRELEASED = "Unreleased";

/** Returns the section of a version, or of what is not released yet, without its heading. */
export function releaseNotes(changelog: string, version = UNRELEASED): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => headingOf(text) === version) ?? "";
  return section.replace(/^.*\n/, "").trim();
}

/** Returns the changelog with the unreleased section under the version, and a new empty one above it. */
export function closeSection(changelog: string, version: string, day: string): string {
  return changelog.replace(/^## Unreleased$/m, `## ${UNRELEASED}\n\n## ${version} (${day})`);
}

/** `0.2.0 (2026-11-27)` is the version 0.2.0. */
function headingOf(section: string): string {
  return (section.split("\n")[0] ?? "").replace(/ \(.*\)$/, "").trim();
}
