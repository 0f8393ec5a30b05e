/** The pages of this version, and the runtime contract. A program reads them when it needs them. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { contractShow, execute, SvcmError, type Caller, type Ports } from "../core/index.ts";
import { toLines, toPage } from "./render.ts";

export interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

const CONTRACT: Resource = { uri: "svcm://contract", name: "The runtime contract", mimeType: "text/plain" };
const PAGES = "svcm://docs/";
const FOLDERS = ["how-to", "explanation", "reference", "tutorial"];

/** @param docs the folder of the installed pages */
export async function listResources(docs: string): Promise<readonly Resource[]> {
  const pages = await Promise.all(
    FOLDERS.map(async (folder) => {
      const names = await readdir(join(docs, folder)).catch(() => []);
      return names.filter((name) => name.endsWith(".md")).map((name) => `${folder}/${name}`);
    }),
  );
  const listed = pages.flat().map((path) => ({ uri: `${PAGES}${path}`, name: path, mimeType: "text/markdown" }));
  return [CONTRACT, ...listed];
}

/** A long one has parts: `?part=2`. Only a listed one is read. @throws {SvcmError} NOT_FOUND */
export async function readResource(
  { ports, docs }: { readonly ports: Ports; readonly docs: string },
  caller: Caller,
  uri: string,
): Promise<{ readonly mimeType: string; readonly text: string }> {
  const [, whole = "", part = "1"] = /^([^?]+)(?:\?part=([1-9]\d{0,2}))?$/.exec(uri) ?? [];
  const found = (await listResources(docs)).find((one) => one.uri === whole);
  if (found === undefined)
    throw new SvcmError("NOT_FOUND", { details: "Accepted: a resource of the list, and the part that follows it." });
  const lines =
    found === CONTRACT
      ? toLines(await execute(contractShow, ports, {}, caller), undefined).lines
      : (await readFile(join(docs, whole.slice(PAGES.length)), "utf8")).split("\n");
  let page = toPage({ heading: undefined, lines }, 0);
  for (let at = 1; at < Number(part); at += 1) page = toPage({ heading: undefined, lines }, page.next ?? lines.length);
  const more = page.next === undefined ? "" : `\n\nThe next part: ${whole}?part=${Number(part) + 1}`;
  return { mimeType: found.mimeType, text: page.text + more };
}
