/** The pages are a copy of `docs/`, beside the packages that they need; links that leave them lead to the repository. A dead link stops the build. */
import { copyFileSync, cpSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { defineConfig, type DefaultTheme } from "vitepress";

const ROOT = resolve(import.meta.dirname, "../..");
const DOCS = join(ROOT, "docs");
const PAGES = join(ROOT, "site/pages");
const { homepage, description } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<
  string,
  string
>;
const repository = `${homepage?.replace(/#.*/, "")}/blob/main/`;

export default defineConfig({
  title: "svcm",
  ...(description && { description }),
  lang: "en",
  srcDir: "pages",
  rewrites: {
    "README.md": "index.md",
    "decisions/README.md": "decisions/index.md",
  },
  themeConfig: {
    search: { provider: "local", options: { miniSearch: { options: { tokenize } } } },
    sidebar: sidebar(readFileSync(join(DOCS, "README.md"), "utf8")),
    socialLinks: [],
    outline: [2, 3],
  },
  markdown: {
    config(markdown) {
      markdown.core.ruler.push("leave-the-site", ({ tokens, env }) => {
        for (const { attrs } of tokens.flatMap((token) => token.children ?? [])) {
          const href = attrs?.find(([name]) => name === "href");
          if (href !== undefined) href[1] = outside(href[1], (env as { realPath?: string; path: string }).path);
        }
      });
    },
  },
  buildEnd({ outDir, pages }) {
    copyFileSync(join(DOCS, "llms.txt"), join(outDir, "llms.txt"));
    // llms.txt names the pages as they are written.
    for (const page of pages) cpSync(join(DOCS, page), join(outDir, page));
  },
});

/** Parts of `max_memory_restart` are found, and the whole, too. */
function tokenize(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}_.-]+/u);
  return words.flatMap((word) => [word, ...word.split(/[_.-]+/)]).filter((word) => word !== "");
}

function outside(href: string, page: string): string {
  if (!/^\.\.?\//.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const target = resolve(DOCS, relative(PAGES, dirname(page)), path);
  const isPage = !relative(DOCS, target).startsWith("..") && target.endsWith(".md");
  return isPage ? href : `${repository}${relative(ROOT, target)}${anchor === undefined ? "" : `#${anchor}`}`;
}

/** docs/README.md lists every page under its headings. */
function sidebar(text: string): DefaultTheme.SidebarItem[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      text: section.split("\n")[0] ?? "",
      items: [...section.matchAll(/\[([^\]]+)\]\(([^)#]+)\.md\)/g)]
        .filter(([, , link = ""]) => !link.startsWith(".."))
        .map(([, name = "", link = ""]) => ({
          text: name.replaceAll("`", ""),
          link: `/${link.replace(/README$/, "")}`,
        })),
    }));
}
