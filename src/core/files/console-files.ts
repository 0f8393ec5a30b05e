import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";

export type Encoding = "br" | "gzip";

export interface ConsoleFiles {
  readonly page?: string;
  readonly assets: ReadonlyMap<string, ConsoleAsset>;
}

export interface ConsoleAsset {
  readonly mediaType: string;
  readonly bytes: Buffer;
  /** Has no entry for an encoding that does not make the file smaller. */
  readonly compressed: ReadonlyMap<Encoding, Buffer>;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

const EXTENSIONS: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz" };

/** Keeps the console in memory, so a request cannot reach other files. */
export async function readConsole(folder: string | undefined): Promise<ConsoleFiles> {
  const assets = new Map<string, ConsoleAsset>();
  const page = folder && (await readFile(join(folder, "index.html"), "utf8").catch(ifThere));
  if (!folder || page === undefined) return { assets };
  const compressedNames = new Set(await readdir(join(folder, "compressed")));
  for (const name of await readdir(join(folder, "assets"))) {
    const mediaType = MEDIA_TYPES[extname(name)];
    if (mediaType === undefined) throw new TypeError(`No media type for ${name}`);
    const compressed = new Map<Encoding, Buffer>();
    for (const [encoding, extension] of Object.entries(EXTENSIONS) as [Encoding, string][]) {
      const file = name + extension;
      if (compressedNames.has(file)) compressed.set(encoding, await readFile(join(folder, "compressed", file)));
    }
    assets.set(name, { mediaType, bytes: await readFile(join(folder, "assets", name)), compressed });
  }
  return { ...(page && { page }), assets };
}

function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
