const INHERITED_VARIABLES = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|NODE_ENV)$/;
/** PM2 adds these, and a variable with the name of the app. */
const PM2_VARIABLES = /^(?:PM2_\w+|PWD|NODE_APP_INSTANCE|unique_id|io)$/;
/** PM2's command line, its library and pm2-runtime each set one of these; svcm removes them. */
const OTHER_STARTER = /^PM2_(?:USAGE|PROGRAMMATIC|DISCRETE_MODE)$/;

/** Set by terminals, shells, logins and package managers; never by an ecosystem file. */
const SHELL_VARIABLES =
  /^(?:_|SHLVL|OLDPWD|TERM|TERM_\w+|COLORTERM|COLUMNS|LINES|DISPLAY|WAYLAND_DISPLAY|EDITOR|VISUAL|PAGER|LESS\w*|MAIL|HOSTNAME|HIST\w+|PS\d|LS_COLORS|MOTD_SHOWN|INVOCATION_ID|JOURNAL_STREAM|SYSTEMD_\w+|(?:SSH|XDG|DBUS|SUDO|NVM|FNM|VOLTA|GPG|GIT|VSCODE|TMUX|STY|npm|PNPM|YARN|BASH)(?:_\w+)?)$/;

export function isInherited(variable: string): boolean {
  return INHERITED_VARIABLES.test(variable);
}

/** Each variable of such a process comes from svcm's base environment, from PM2 or from a declaration. */
export function isStartedBySvcm(environment: Readonly<Record<string, unknown>>): boolean {
  return "PM2_HOME" in environment && !Object.keys(environment).some((key) => OTHER_STARTER.test(key));
}

export function isDeclaredVariable(variable: string, app: string): boolean {
  return variable !== app && !isInherited(variable) && !PM2_VARIABLES.test(variable);
}

export function isPm2Variable(variable: string): boolean {
  return PM2_VARIABLES.test(variable);
}

export function isShellVariable(variable: string): boolean {
  return SHELL_VARIABLES.test(variable);
}
