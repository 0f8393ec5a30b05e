import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";

/** The browser's console as it was built: a page, and assets whose names change with their content. */
export interface ConsoleFiles {
  /** Absent where the console is not built. */
  readonly page?: string;
  readonly assets: ReadonlyMap<string, ConsoleAsset>;
}

export interface ConsoleAsset {
  readonly mediaType: string;
  readonly text: string;
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Reads the console into memory: what is not in it is not there, whatever a request says. */
export async function readConsole(folder: string | undefined): Promise<ConsoleFiles> {
  const assets = new Map<string, ConsoleAsset>();
  const page = folder && (await readFile(join(folder, "index.html"), "utf8").catch(ifThere));
  if (!folder || page === undefined) return { assets };
  for (const name of await readdir(join(folder, "assets"))) {
    const mediaType = MEDIA_TYPES[extname(name)];
    if (mediaType === undefined) throw new TypeError(`No media type for ${name}`);
    assets.set(name, { mediaType, text: await readFile(join(folder, "assets", name), "utf8") });
  }
  return { ...(page && { page }), assets };
}

function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
