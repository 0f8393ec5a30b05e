import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i;
const PACKAGE = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;

export function thirdPartyNotices(moduleIds: Iterable<string>): string {
  const folders = new Set<string>();
  for (const id of moduleIds) {
    const [folder] = PACKAGE.exec(id.replace(/^\0[^/]*/, "")) ?? [];
    if (folder !== undefined) folders.add(folder);
  }
  const notices = [...folders].map(notice).toSorted();
  return `svcm contains code of the packages below, under their licences.\n\n${[...new Set(notices)].join("\n")}`;
}

/** Returns the licences of the packages in notices, by `name@version`. */
export function noticedPackages(notices: string): Map<string, string> {
  const headings = notices.matchAll(/^(\S+) (\d\S*) \((.+)\)$/gm);
  return new Map([...headings].map(([, name = "", version = "", licence = ""]) => [`${name}@${version}`, licence]));
}

function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<
    string,
    string
  >;
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [
    `${name} ${version} (${license ?? "see below"})`,
    ...texts.map((text) => `\n${text.replaceAll("\r\n", "\n")}`),
    `\n${"-".repeat(80)}\n`,
  ].join("\n");
}
