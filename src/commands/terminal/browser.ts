import { spawn } from "node:child_process";

const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: "open", win32: "explorer" };

/** Opens an address with the program of the desktop for it. @param onFailure called if there is no such program */
export function openBrowser(url: string, onFailure: (program: string) => void): void {
  const program = OPENERS[process.platform] ?? "xdg-open";
  const child = spawn(program, [url], { stdio: "ignore", detached: true });
  child.on("error", () => onFailure(program));
  child.unref();
}
