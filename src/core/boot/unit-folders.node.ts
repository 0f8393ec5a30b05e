import { join } from "node:path";

/** An administrator's units of the system. */
export const SYSTEM_UNIT_FOLDER = "/etc/systemd/system";

/** @param folder the home folder of the user */
export function userUnitFolder(folder: string): string {
  return join(folder, ".config/systemd/user");
}
