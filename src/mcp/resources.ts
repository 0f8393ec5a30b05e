/** The pages of this version, and the runtime contract. A program reads them when it needs them. */
import { contractShow, execute, SvcmError, type Caller, type Ports } from "../core/index.ts";
import { toLines, toPage } from "./render.ts";

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

const CONTRACT: Resource = { uri: "svcm://contract", name: "The runtime contract", mimeType: "text/plain" };
const PAGES = "svcm://docs/";
const LINK = /\]\(((?:how-to|explanation|reference|tutorial)\/[\w-]+\.md)/g;

interface Pages {
  readonly ports: Ports;
  /** The folder of the installed pages. Its README.md links to each. */
  readonly docs: string;
}

export async function listResources(pages: Pages): Promise<readonly Resource[]> {
  const links = Array.from((await readPage(pages, "README.md")).matchAll(LINK), ([, path = ""]) => path);
  const listed = [...new Set(links)].map((name) => ({ uri: `${PAGES}${name}`, name, mimeType: "text/markdown" }));
  return [CONTRACT, ...listed];
}

async function readPage({ ports, docs }: Pages, path: string): Promise<string> {
  return new TextDecoder().decode(await ports.files.read(`${docs}/${path}`, { mayBeOutside: true }));
}

/** A long one has parts: `?part=2`. Only a listed one is read. @throws {SvcmError} NOT_FOUND */
export async function readResource(
  pages: Pages,
  caller: Caller,
  uri: string,
): Promise<{ readonly mimeType: string; readonly text: string }> {
  const [, whole = "", part = "1"] = /^([^?]+)(?:\?part=([1-9]\d{0,2}))?$/.exec(uri) ?? [];
  const found = (await listResources(pages)).find((one) => one.uri === whole);
  if (found === undefined)
    throw new SvcmError("NOT_FOUND", { details: "Accepted: a resource of the list, and the part that follows it." });
  const lines =
    found === CONTRACT
      ? toLines(await execute(contractShow, pages.ports, {}, caller), undefined).lines
      : (await readPage(pages, whole.slice(PAGES.length))).split("\n");
  let page = toPage({ heading: undefined, lines }, 0);
  for (let at = 1; at < Number(part); at += 1) page = toPage({ heading: undefined, lines }, page.next ?? lines.length);
  const more = page.next === undefined ? "" : `\n\nThe next part: ${whole}?part=${Number(part) + 1}`;
  return { mimeType: found.mimeType, text: page.text + more };
}
