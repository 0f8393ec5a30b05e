/**
 * What PM2, and through it every app that is started, sees of our environment. PM2 hands the whole
 * environment of its caller to what it starts, so this list is short, and nothing of svcm's own
 * configuration is on it.
 */
const PASSED = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|NODE_ENV)$/;
/** Windows, where programs do not start without these. */
const PASSED_ON_WINDOWS = /^(?:SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|TEMP|TMP|USERPROFILE|APPDATA|LOCALAPPDATA|PATH)$/i;

export function cleanEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): Record<string, string> {
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isPassed(entry[0]),
  );
  return { ...Object.fromEntries(passed), PM2_HOME: home };
}

function isPassed(key: string): boolean {
  return PASSED.test(key) || (process.platform === "win32" && PASSED_ON_WINDOWS.test(key));
}
