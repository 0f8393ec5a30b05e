import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect, test } from "vitest";
import { REPOSITORY } from "../support/command-line.ts";

const OUTSIDE = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "bench/README.md"];
const pages = [
  ...OUTSIDE,
  "apps/backend-template/README.md",
  ...readdirSync(join(REPOSITORY, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
];
const read = (file: string): string => readFileSync(join(REPOSITORY, file), "utf8");

/** Anchors as GitHub generates them from headings. */
const anchorsOf = (file: string): string[] =>
  [...read(file).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\d _-]/gu, "")
      .replaceAll(" ", "-"),
  );

const links = pages.flatMap((page) =>
  [...read(page).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)]
    .map(([, link, source]) => link ?? source ?? "")
    .filter((link) => !/^https?:/.test(link))
    .map((link): [string, string] => [page, link]),
);

test.each(links)("the link in %s to %s is valid", (page, link) => {
  const [path = "", anchor] = link.split("#");
  const file = path === "" ? page : normalize(join(dirname(page), path));
  expect(existsSync(join(REPOSITORY, file)), file).toBe(true);
  if (anchor !== undefined && statSync(join(REPOSITORY, file)).isFile()) expect(anchorsOf(file)).toContain(anchor);
});

test("docs/README.md links every page", () => {
  const own = links.filter(([page]) => page === "docs/README.md");
  const linked = new Set(own.map(([, link]) => normalize(join("docs", link))));
  const inside = pages.filter((page) => /^docs\/(?!decisions\/(?!README)|README)/.test(page));
  expect(inside.filter((page) => !linked.has(page))).toEqual([]);
});
