/** A line of `tar --list --verbose --full-time --quoting-style=c`. */
const ENTRY = /^(.)\S+ \S+ +(\d+|\d+,\d+) \S+ \S+ "((?:[^"\\]|\\.)*)"/;
/** Files, folders, and links, which are looked at once they are written. */
const ACCEPTED = "-dlh";

export interface ArchiveEntry {
  readonly bytes: number;
  /** Why svcm writes nothing of the archive; `undefined` if the entry is fine. */
  readonly refusal: string | undefined;
}

export function readArchiveEntry(line: string): ArchiveEntry {
  const [, type = "", size = "", name = ""] = ENTRY.exec(line) ?? [];
  const parts = name.split("/");
  const refusal =
    type === ""
      ? `It has an entry that svcm cannot read: ${line.slice(0, 100)}.`
      : !ACCEPTED.includes(type)
        ? `${name} is a device, a pipe or another special file.`
        : name.startsWith("/") || parts.includes("..")
          ? `${name} lies outside of the archive.`
          : parts.includes(".git")
            ? `${name} belongs to a Git repository.`
            : undefined;
  return { bytes: Number(size) || 0, refusal };
}
