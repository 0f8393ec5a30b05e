import { page, table } from "./markdown.ts";

/** A test compares the names with the source. */
export const SETTINGS: Readonly<Record<string, Readonly<Record<string, readonly [string, string]>>>> = {
  "Where things are": {
    SVC_SERVICE_MANAGEMENT_ROOT: [
      "the nearest folder with `svcm.yaml`, else with `deployments.yaml` or `.git`",
      "The repository root. `--root` overrides it.",
    ],
    SVC_SERVICE_MANAGEMENT_CONFIG_DIR: [
      "`apps/backend-template/src/config`",
      "The folder of the env files; with `svcm.yaml`, the folder that holds the env files that it names.",
    ],
    SVC_SERVICE_MANAGEMENT_PM2_DIR: [
      "`pm2`",
      "The folder of the PM2 ecosystem files; with `svcm.yaml`, the folder that holds the files that it names.",
    ],
    SVC_SERVICE_MANAGEMENT_AUDIT_FILE: ["`.svcm/audit.jsonl`", "The audit log of the repository."],
    PM2_HOME: ["`~/.pm2`", "The PM2 that svcm works with."],
    NODE_ENV: ["the contract's default, `dev`", "The environment of a command or request that does not name one."],
  },
  "The service": {
    SVC_SERVICE_MANAGEMENT_HOST: ["`127.0.0.1`", "The address to bind. An address other than loopback needs a token."],
    SVC_SERVICE_MANAGEMENT_PORT: ["`3200`", "The port; 0 takes a free one."],
    SVC_SERVICE_MANAGEMENT_AUTH_TOKEN: [
      "unset",
      "The token that writes need. On an address other than loopback, reads need it too. `svcm metrics watch --url` sends it.",
    ],
    SVC_SERVICE_MANAGEMENT_ALLOWED_HOSTS: [
      "empty",
      "More host names that the service answers to, separated by commas.",
    ],
    SVC_SERVICE_MANAGEMENT_PUBLIC_URL: ["unset", "The address behind a reverse proxy, with its path."],
    SVC_SERVICE_MANAGEMENT_PROMETHEUS_URL: [
      "unset",
      "The address of a Prometheus that scrapes this svcm. The history before svcm's own recording comes from it. May hold a user and a password.",
    ],
    SVC_SERVICE_MANAGEMENT_LOG: ["`text` on a terminal, otherwise `json`", "The form of the log."],
    SVC_SERVICE_MANAGEMENT_LOG_LEVEL: ["`info`", "The level of the log."],
  },
  "Many machines": {
    SVC_SERVICE_MANAGEMENT_NATS_URL: [
      "`nats.url` of `svcm.yaml`",
      "The NATS server; several addresses are separated by commas. With `svcm serve`, it puts the machine into the fleet.",
    ],
    SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS: [
      "unset",
      "The file of the credentials: the seed of an NKey, a `.creds` file or a token.",
    ],
    SVC_SERVICE_MANAGEMENT_NATS_USER_CREDENTIALS: [
      "those of the machine",
      "The file of the credentials of a user, with which `svcm serve` asks other machines.",
    ],
    SVC_SERVICE_MANAGEMENT_NATS_CA: ["unset", "The file of a certificate in PEM that signs the server's."],
    SVC_SERVICE_MANAGEMENT_NATS_USER: [
      "the user of the credentials' key",
      "The name of the user in `svcm.yaml`, if the credentials have no NKey.",
    ],
    SVC_SERVICE_MANAGEMENT_NODE: ["the host name", "The name of this machine in `svcm.yaml`."],
  },
  "The command line": {
    SVCM_COMMAND: [
      "set by svcm",
      "The mark of a command of a deploy and of what it starts, so that svcm can end what is left.",
    ],
    SVCM_DEBUG: ["unset", "If set, an unexpected error prints its stack, and compiled code is not cached."],
    NO_COLOR: ["unset", "If set, output has no colours."],
    FORCE_COLOR: ["unset", "If set, output has colours even without a terminal. `NO_COLOR` overrides it."],
    CI: ["unset", "If set, no command asks a question or redraws the screen."],
    VISUAL: ["unset", "The editor of `svcm env edit`, as a command for the shell."],
    EDITOR: ["`vi`", "The same, if `VISUAL` is unset."],
    XDG_CACHE_HOME: [
      "`~/.cache`",
      "svcm keeps compiled code, and what it read from `svcm.yaml`, in the folder `svcm` below it.",
    ],
  },
};

export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: "Success. A check found no error.",
  1: "The answer is negative: a check found errors, a value was refused, or the service cannot start.",
  2: "Wrong usage: an unknown command, flag, name or environment.",
  3: "svcm failed: a file, PM2 or another service refused.",
  70: "A defect in svcm. Please report it.",
  130: "You pressed Ctrl-C.",
};

export function settingsPage(): string {
  return page(
    "Settings and exit codes",
    "scripts/reference/settings.ts",
    "All settings are environment variables. Relative paths start at the repository root. Flags override variables.",
    ...Object.entries(SETTINGS).flatMap(([heading, rows]) => [
      `## ${heading}`,
      table(
        ["Variable", "Default", "Meaning"],
        Object.entries(rows).map(([name, [standard, meaning]]) => [`\`${name}\``, standard, meaning]),
      ),
    ]),
    "The keys of your backend are in [runtime keys](runtime-keys.md).",
    "## Exit codes",
    table(["Code", "Meaning"], Object.entries(EXIT_CODES)),
    "[Errors](errors.md) has the exit code of each kind of error.",
  );
}
