import { readFileSync } from "node:fs";
import { join } from "node:path";
import pjson from "../../package.json" with { type: "json" };

const DOCS = join(import.meta.dirname, "../../docs");

/** The list of pages for language models, see llmstxt.org. The sections and the pages are those of docs/README.md. */
export function llmsText(): string {
  const [, ...sections] = readFileSync(join(DOCS, "README.md"), "utf8").split(/^## /m);
  const lists = sections.map((section) => {
    const [heading = ""] = section.split("\n");
    const pages = [...section.matchAll(/\[([^\]]+)\]\(([^)#]+\.md)\)/g)].filter(
      ([, , file = ""]) => !file.startsWith(".."),
    );
    const lines = pages.map(([, name = "", file = ""]) => `- [${name.replaceAll("`", "")}](${file})${summaryOf(file)}`);
    return `## ${heading}\n\n${lines.join("\n")}\n`;
  });
  return `# svcm\n\n> ${pjson.description}.\n\n${lists.join("\n")}`;
}

/** The first sentence of a page, if it has one before its first section. */
function summaryOf(file: string): string {
  const [intro = ""] = readFileSync(join(DOCS, file), "utf8")
    .replaceAll(/^```[\s\S]*?^```$/gm, "")
    .split(/^## /m);
  const first = intro.split(/\n{2,}/).find((text) => /^[\p{L}`[]/u.test(text)) ?? "";
  const words = first.replaceAll(/\s+/g, " ").replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");
  const sentence = /^.*?[.:](?= |$)/.exec(words)?.[0].replace(/:$/, ".") ?? words;
  return sentence === "" ? "" : `: ${sentence}`;
}
