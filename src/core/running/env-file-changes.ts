import { ownMember } from "../words/record.ts";
import { isHiddenKey, type Digests } from "./env-file-digests.ts";

/** An env file that the app reads itself, for example with dotenv, or that Node.js reads for it. */
export interface EnvFileFacts {
  readonly path: string;
  /** The name to show. */
  readonly name: string;
  /** With `--env-file`, the variables of the process always win. */
  readonly isReadByNode: boolean;
  /** No environment names it, so nothing says whether the app reads it. */
  readonly isUnnamed?: boolean;
  /** `null` if it does not exist, `undefined` if it cannot be read. */
  readonly now: Digests | null | undefined;
  /** The content that the process read, if svcm has a record of its start. */
  readonly recorded: Digests | undefined;
  /** The times of its last change and write; `undefined` if they are not known. */
  readonly changedMs: number | undefined;
  readonly modifiedMs: number | undefined;
}

export interface EnvFileChange {
  readonly path: string;
  readonly name: string;
  /** `null` if only the time of the file is known. */
  readonly key: string | null;
  readonly state: "absent" | "different" | "stale";
}

export interface EnvFileComparison {
  readonly changes: readonly EnvFileChange[];
  readonly unknown: readonly string[];
}

/** A file system's clock may be behind the clock of the machine by this much. */
export const CLOCK_TOLERANCE_MS = 20;

/**
 * Compares what the process read with what it would read now, a later file over an earlier one. A record decides by
 * content; without one, only a time is known.
 * @param files in the order in which they are read
 * @param startedAt `null` if the process does not run: it will read the files when it starts
 */
export function compareEnvFiles(files: readonly EnvFileFacts[], startedAt: number | null): EnvFileComparison {
  if (startedAt === null) return { changes: [], unknown: [] };
  const recorded = files.filter((file) => file.recorded !== undefined && file.now !== undefined);
  const isTimed = ({ recorded: record, now, changedMs }: EnvFileFacts): boolean =>
    record === undefined && now !== null && changedMs !== undefined;
  const timed = files.filter(isTimed);
  const unread = files.filter((file) => file.now === undefined && !isTimed(file));
  const isLater = (time: number | undefined): boolean => time !== undefined && time > startedAt - CLOCK_TOLERANCE_MS;
  const isRewritten = ({ isReadByNode, modifiedMs }: EnvFileFacts): boolean =>
    isReadByNode && modifiedMs !== undefined && modifiedMs > startedAt;
  return {
    changes: [
      ...changedKeys(recorded),
      ...timed.filter(isRewritten).map(({ path, name }): EnvFileChange => ({ path, name, key: null, state: "stale" })),
    ],
    unknown: [
      ...unread.map(({ name }) => `${name} cannot be read`),
      ...timed
        .filter((file) => isLater(file.changedMs) && !isRewritten(file))
        .map(
          ({ name }) => `${name} was changed or touched after the start, and svcm has no record of what it contained`,
        ),
    ],
  };
}

function changedKeys(files: readonly EnvFileFacts[]): EnvFileChange[] {
  const before: Digests = Object.assign({}, ...files.map(({ recorded }) => recorded));
  const now: Digests = Object.assign({}, ...files.map((file) => file.now));
  const keys = [...new Set([...Object.keys(before), ...Object.keys(now)])].filter(
    (key) => ownMember(before, key) !== ownMember(now, key),
  );
  return keys.flatMap((key): EnvFileChange[] => {
    const file = files.findLast(({ recorded, now: present }) => ownMember(recorded, key) !== ownMember(present, key));
    if (file === undefined) return [];
    const state =
      ownMember(now, key) === undefined ? "stale" : ownMember(before, key) === undefined ? "absent" : "different";
    return [{ path: file.path, name: file.name, key: isHiddenKey(key) ? null : key, state }];
  });
}
