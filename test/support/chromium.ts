import { existsSync } from "node:fs";
import { createRequire } from "node:module";

/** Flags for a browser that connects only to this machine. */
export const chromiumArguments = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--in-process-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const INSTALLED = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export interface ChromiumProgram {
  readonly executablePath: string;
  readonly env: Record<string, string>;
}

/**
 * Returns the browser that `CHROMIUM_PATH` names, else the packaged headless one (Linux on x64), else that of this machine,
 * or `undefined`. The packaged browser uses a fifth of the CPU time, because a full Chromium draws its own windows even if
 * they are not visible.
 */
export async function findChromium(): Promise<ChromiumProgram | undefined> {
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
  const named = process.env["CHROMIUM_PATH"];
  if (named !== undefined && existsSync(named)) return { executablePath: named, env };
  if (process.platform !== "linux" || process.arch !== "x64") {
    const installed = INSTALLED.find((path) => existsSync(path));
    return installed === undefined ? undefined : { executablePath: installed, env };
  }
  // The package unpacks the libraries that it needs only if it detects AWS Lambda.
  process.env["AWS_EXECUTION_ENV"] ??= "AWS_Lambda_nodejs20.x";
  const packaged = createRequire(import.meta.url)("@sparticuz/chromium") as { executablePath(): Promise<string> };
  const executablePath = await packaged.executablePath();
  return { executablePath, env: { ...env, LD_LIBRARY_PATH: process.env["LD_LIBRARY_PATH"] ?? "" } };
}
