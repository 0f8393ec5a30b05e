import { existsSync } from "node:fs";
import { createRequire } from "node:module";

/** Flags for a browser that stays on this machine. */
export const chromiumArguments = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
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
 * The browser to test with: the one that `CHROMIUM_PATH` names, else this machine's, else the one that
 * comes as a package and needs no installation (Linux on x64). `undefined` where there is none.
 */
export async function findChromium(): Promise<ChromiumProgram | undefined> {
  const installed = [process.env["CHROMIUM_PATH"] ?? "", ...INSTALLED].find((path) => existsSync(path));
  const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));
  if (installed !== undefined) return { executablePath: installed, env };
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  // The package unpacks the libraries that it needs only where it believes to run on AWS Lambda.
  process.env["AWS_EXECUTION_ENV"] ??= "AWS_Lambda_nodejs20.x";
  const packaged = createRequire(import.meta.url)("@sparticuz/chromium") as { executablePath(): Promise<string> };
  const executablePath = await packaged.executablePath();
  return { executablePath, env: { ...env, LD_LIBRARY_PATH: process.env["LD_LIBRARY_PATH"] ?? "" } };
}
