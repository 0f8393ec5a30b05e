import { UsageError } from "../commands/terminal/errors.ts";
import { suggest } from "../core/index.ts";

/**
 * @param input the words as typed
 * @param commands all commands, with words separated by spaces
 */
export function unknownCommand(input: string, commands: readonly string[]): UsageError {
  const command = commands.find((words) => input.startsWith(`${words} `));
  if (command !== undefined) {
    const more = input.slice(command.length + 1);
    return new UsageError(
      `svcm ${command} takes no arguments; unexpected: ${more}.`,
      `svcm ${command} --help shows how to use it`,
    );
  }
  const likely = likelyCommand(input, commands);
  const suggestion = likely === undefined ? "" : ` Did you mean ${likely}?`;
  const habit = likely === undefined ? habitOf(input) : undefined;
  const hint = habit ?? "svcm help lists the commands";
  return new UsageError(`${input} is not an svcm command.${suggestion}`, hint, "COMMAND_NOT_FOUND");
}

export function likelyCommand(input: string, commands: readonly string[]): string | undefined {
  const isExplained = habitOf(input) !== undefined || commands.some((words) => input.startsWith(`${words} `));
  return isExplained ? undefined : (suggest(input, commands) ?? suggest(input, topicsOf(commands)));
}

function habitOf(input: string): string | undefined {
  const [first = ""] = input.split(" ");
  return Object.hasOwn(HABITS, first) ? HABITS[first] : undefined;
}

function topicsOf(commands: readonly string[]): string[] {
  return [...new Set(commands.flatMap((words) => words.split(" ").slice(0, -1)))];
}

const LEFT_TO_PM2 = "use PM2's own command line for this";
const TO_DECLARE = "svcm plan, then svcm apply: the ecosystem file declares what runs";
const LIST_AS_JSON = "svcm ls --json";

/** Answers for words of other tools. Each would need other arguments, so it cannot be an alias. */
export const HABITS: Readonly<Record<string, string>> = {
  st: "svcm status",
  watch: "svcm metrics watch",
  get: "svcm env get",
  set: "svcm env set",
  unset: "svcm env unset",
  lint: "svcm check",
  verify: "svcm check",
  test: "svcm check",
  autocomplete: "svcm completion bash",
  tail: "svcm logs --follow",
  open: "svcm serve --open",
  ui: "svcm serve --open",
  secrets: "svcm keys list",
  process: "svcm ls",
  down: "svcm stop NAME, or svcm delete NAME",
  history: "svcm releases",
  version: "svcm --version",
  update: "npm install svcm@latest updates svcm, and svcm daemon shows the versions of PM2",
  // The words of pm2 --help.
  jlist: LIST_AS_JSON,
  prettylist: LIST_AS_JSON,
  sysinfos: "svcm metrics show",
  report: "svcm doctor",
  pid: "svcm show NAME",
  id: "svcm show NAME",
  inspect: "svcm show NAME",
  monitor: "svcm monit",
  startOrRestart: TO_DECLARE,
  startOrReload: TO_DECLARE,
  startOrGracefulReload: TO_DECLARE,
  create: TO_DECLARE,
  ecosystem: "svcm ecosystem show",
  save: "svcm apply saves PM2's list, and svcm boot says whether it is current",
  dump: "svcm apply saves PM2's list, and svcm boot says whether it is current",
  resurrect: "svcm boot restore",
  startup: "svcm boot enable",
  unstartup: "svcm boot disable",
  flush: "svcm logs prune frees space, and svcm logs usage says how much",
  logrotate: "svcm logs rotate",
  reloadLogs: "svcm logs rotate",
  pull: "svcm deploy",
  forward: "svcm deploy",
  backward: "svcm rollback",
  multiset: LEFT_TO_PM2,
  conf: LEFT_TO_PM2,
  trigger: LEFT_TO_PM2,
  sendSignal: LEFT_TO_PM2,
  send: LEFT_TO_PM2,
  attach: LEFT_TO_PM2,
  reset: LEFT_TO_PM2,
  ping: "svcm daemon",
  kill: LEFT_TO_PM2,
  cleardump: LEFT_TO_PM2,
  install: LEFT_TO_PM2,
  uninstall: LEFT_TO_PM2,
  package: LEFT_TO_PM2,
  publish: LEFT_TO_PM2,
  register: LEFT_TO_PM2,
  link: LEFT_TO_PM2,
  unlink: LEFT_TO_PM2,
  unmonitor: LEFT_TO_PM2,
  plus: LEFT_TO_PM2,
  login: LEFT_TO_PM2,
  logout: LEFT_TO_PM2,
  profile: LEFT_TO_PM2,
  module: LEFT_TO_PM2,
  updatePM2: "svcm daemon shows the versions, and svcm daemon renew moves all apps to a new one",
  deepUpdate: "svcm daemon shows the versions, and svcm daemon renew moves all apps to a new one",
  expose: LEFT_TO_PM2,
  autoinstall: "svcm init",
  examples: "svcm COMMAND --help has examples",
  "install-otel": LEFT_TO_PM2,
  "uninstall-otel": LEFT_TO_PM2,
};
