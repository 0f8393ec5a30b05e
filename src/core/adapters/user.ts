import { userInfo } from "node:os";

/** The user who runs this process: the name, or else the number. */
export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
