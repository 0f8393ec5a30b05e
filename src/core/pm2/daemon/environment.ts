import { isInherited } from "../declared.ts";

const PASSED_ON_WINDOWS = /^(?:SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|TEMP|TMP|USERPROFILE|APPDATA|LOCALAPPDATA|PATH)$/i;

/** PM2 passes this environment to every app that it starts, so it contains no variable of svcm. */
export function environmentForPm2(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Record<string, string> {
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isPassed(entry[0]),
  );
  return { ...Object.fromEntries(passed), PM2_HOME: home };
}

function isPassed(key: string): boolean {
  return isInherited(key) || (process.platform === "win32" && PASSED_ON_WINDOWS.test(key));
}
