import { userInfo } from "node:os";

/** The system's name of the user who runs this process, or its number where it has none. */
export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
