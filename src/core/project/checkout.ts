import type { FileStamps } from "../files/ports.ts";
import { baseName } from "../words/path.ts";
import { PROJECT_FILE } from "./project.ts";
import { isReleaseName } from "./state-place.ts";

/** The repository counts before a folder in it that has its own `svcm.yaml`. */
const MARKERS = [[".git"], [PROJECT_FILE, "deployments.yaml"]];

/** The checkout, or the folder of a release, that holds the path. */
export function checkoutOf(stamps: FileStamps, path: string): string | undefined {
  const folders = ancestors(path);
  for (const names of MARKERS) {
    const isMarked = (folder: string): boolean =>
      stamps.read(names.map((name) => `${folder}/${name}`)).some((stamp) => stamp !== null);
    const found = folders.find(isMarked);
    if (found !== undefined) return found;
  }
  return undefined;
}

function ancestors(path: string): string[] {
  const parent = path.slice(0, path.lastIndexOf("/"));
  return path === "" ? [] : [path, ...ancestors(parent)];
}

/** Two paths of one folder, and releases beside each other, are one place. */
export function isSamePlace(stamps: FileStamps, first: string, second: string): boolean {
  const places = [first, second].map(withoutRelease);
  const [one, other] = stamps.read(places);
  return places[0] === places[1] || (one !== null && one?.id === other?.id);
}

function withoutRelease(folder: string): string {
  const parent = folder.slice(0, folder.lastIndexOf("/"));
  const isRelease = isReleaseName(baseName(folder)) || baseName(parent) === "releases";
  return isRelease && parent.lastIndexOf("/") > 0 ? withoutRelease(parent) : folder;
}
