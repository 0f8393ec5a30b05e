const PASSED = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|NODE_ENV)$/;
/** PM2 adds these, and a variable with the name of the app. */
const OF_PM2 = /^(?:PM2_\w+|PWD|NODE_APP_INSTANCE|unique_id|io)$/;
/** PM2's command line, its library and pm2-runtime each set one of these; svcm removes them. */
const MARK_OF_ANOTHER = /^PM2_(?:USAGE|PROGRAMMATIC|DISCRETE_MODE)$/;

export function isPassedOn(variable: string): boolean {
  return PASSED.test(variable);
}

/** Each variable of such a process comes from svcm's base environment, from PM2 or from a declaration. */
export function isStartedBySvcm(environment: Readonly<Record<string, unknown>>): boolean {
  return "PM2_HOME" in environment && !Object.keys(environment).some((key) => MARK_OF_ANOTHER.test(key));
}

export function isFromDeclaration(variable: string, app: string): boolean {
  return variable !== app && !isPassedOn(variable) && !OF_PM2.test(variable);
}
