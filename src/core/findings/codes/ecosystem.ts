import type { CodeDocs } from "../rule.ts";

export const ecosystemCodes: CodeDocs = {
  ECOSYSTEM_FILE_SYNTAX: {
    summary: "The file is not valid JavaScript, JSON or YAML.",
    remedy: "Correct the line that `details` names; `node --check <path>` repeats the error for JavaScript.",
  },
  ECOSYSTEM_FILE_THREW: {
    summary: "The file threw an error when it ran.",
    explanation: "Its message is not shown because it may quote a secret.",
    remedy: "Run `node <path>` to see the error, and correct the line that `details` names.",
  },
  ECOSYSTEM_FILE_EXITED: {
    summary: "The file ended its process instead of exporting apps.",
    remedy: "Remove `process.exit()` from the file, and from every module that it requires.",
  },
  ECOSYSTEM_FILE_TIMEOUT: {
    summary: "The file did not end within 3 seconds and was killed.",
    explanation: "PM2 itself would wait forever.",
    remedy: "Look for an endless loop, or for something that the file asks over a network, and take it out.",
  },
  ECOSYSTEM_FILE_CRASHED: {
    summary: "The process that ran the file died.",
    explanation: "The usual reason is its memory limit: 256 MiB of heap, 1 GiB in all.",
    remedy: "Let the file only declare apps; load large data in the apps themselves.",
  },
  ECOSYSTEM_FILE_TOO_LARGE: {
    summary: "The file exports more than 1 MiB, or more than 1,000 apps.",
    remedy: "Split the apps over several files, or use `instances` instead of repeated apps.",
  },
  ECOSYSTEM_FILE_ASYNC: {
    summary: "The file uses `await` at its top level; PM2 cannot load such a module.",
    remedy: "Read what the file needs synchronously, for example with `fs.readFileSync`.",
  },
  ECOSYSTEM_MODULE_NOT_FOUND: {
    summary: "The file requires a module that is not installed in its folder or above.",
    remedy: "Run `npm install` there, or correct the path of the module.",
  },
  ECOSYSTEM_EXPORT_INVALID: {
    summary: "The file does not export an object with an `apps` array.",
    explanation: "PM2 does not call an exported function and does not await a promise either.",
    remedy: "Export `{ apps: [...] }`.",
  },
  ECOSYSTEM_FILE_KIND: {
    summary: "PM2 takes the file for another kind because it looks for file endings anywhere in the path.",
    remedy: "Rename the folder or file so that `.json`, `.yml`, `.yaml` and `.config.js` occur only at the end.",
  },
  ECOSYSTEM_FILE_NAME: {
    summary: "A file is named almost like the ecosystem file; PM2 would run it as a script and show it as online.",
    explanation:
      "PM2 reads `.config.cjs`, `.config.js`, `.config.mjs`, `.json`, `.yml` and `.yaml` as declarations, and runs everything else.",
    remedy: "Rename it as the message says, or move it out of the folder.",
  },
  ECOSYSTEM_FILE_SHADOWED: {
    summary: "The environment has several ecosystem files, and only one of them is read (warning).",
    remedy: "Merge them into the file that the message names, and delete the others.",
  },
  ECOSYSTEM_DEFAULT_EXPORT: {
    summary: "An ES module exports its apps as `default`, and PM2 silently finds none.",
    remedy: "Write `export const apps = [...]`, or use `.config.cjs` with `module.exports`.",
  },
  ECOSYSTEM_APPS_MISSING: {
    summary: "The file declares no app.",
    remedy: "Add an app with a `name` and a `script` to `apps`.",
  },
  ECOSYSTEM_FIELD_TYPE: {
    summary: "A field has a type that PM2 refuses; PM2 then refuses the whole file.",
    remedy: "Give the field a value of the type that the message names.",
  },
  ECOSYSTEM_FIELD_UNKNOWN: {
    summary: "PM2 does not know the field and silently ignores it (warning).",
    remedy: "Correct the spelling, or delete the field.",
  },
  ECOSYSTEM_ENV_BLOCK_UNUSED: {
    summary: "A block `env_<name>` is read only with `--env <name>` (warning).",
    explanation:
      "Each environment has an ecosystem file of its own, and the derived command passes no `--env`, so the block has no effect.",
    remedy: "Move its keys to `env`.",
  },
  ECOSYSTEM_CLUSTER_INTERPRETER: {
    summary: "An app in cluster mode has an interpreter other than Node.js, which PM2 ignores (warning).",
    explanation: "PM2 forks the workers of a cluster from its own daemon, so they all run the daemon's Node.js.",
    remedy: 'Set `exec_mode: "fork"`, or remove the interpreter.',
  },
  ECOSYSTEM_NAME_DUPLICATE: {
    summary: "Two apps have the same name.",
    remedy: "Rename one of them; PM2 would treat both as instances of one app.",
  },
  ECOSYSTEM_NAME_AMBIGUOUS: {
    summary:
      "PM2 takes the app's name for something else: every process, an id, a pattern, a file, a namespace or a list.",
    remedy: "Choose a name of letters, digits, `-` and `_` that is not a number and not `all`.",
  },
  ECOSYSTEM_SUFFIX_MISSING: {
    summary: "No app has a name ending that `deployments.yaml` implies.",
    explanation:
      "The deploy targets that name the environment as their `pm2Profile` decide, by their service types; if no target names it, the service kind of the service configuration does. The endings are `restapi`, and `websocketapi` or `grpcapi` for a realtime kind.",
    remedy: "Rename the app or add the missing one; `svcm matrix show` lists the endings of each service kind.",
  },
  ECOSYSTEM_SCRIPT_MISSING: {
    summary: "An app has no script, or its script is not on this machine.",
    remedy: "Build the project (usually `npm run build`) if the script is a build result; else correct its path.",
  },
  ECOSYSTEM_CWD_MISSING: {
    summary: "The app's folder is not on this machine.",
    remedy: "Create the folder, or correct `cwd`; `path.join(__dirname, ...)` makes it independent of the caller.",
  },
  ECOSYSTEM_ENV_FILE_MISSING: {
    summary: "`--env-file` names a file that does not exist, so Node.js would not start.",
    remedy: "Create the file, or correct the path in `node_args`.",
  },
  ECOSYSTEM_ENV_FILE_RELATIVE: {
    summary: "In cluster mode a relative `--env-file` is looked for from the folder of PM2's daemon.",
    remedy: "Give an absolute path, for example with `path.join(__dirname, ...)`.",
  },
  ECOSYSTEM_PORT_INVALID: {
    summary: "A port to listen on is not an integer from 1 to 65535.",
    remedy: "Correct the port in the app's `env`.",
  },
  ECOSYSTEM_PORT_COLLISION: {
    summary: "Two apps would listen on the same port.",
    remedy: "Give each app a port of its own.",
  },
  ECOSYSTEM_PORT_INSTANCES: {
    summary: "Several instances in fork mode would listen on the same port.",
    remedy: 'Use `exec_mode: "cluster"`, or `increment_var: "PORT"` to count the port up.',
  },
  ECOSYSTEM_KILL_TIMEOUT: {
    summary: "A server has less than 5 seconds to finish requests before PM2 kills it (warning).",
    explanation: "PM2's default is 1600 ms after SIGINT.",
    remedy: "Set `kill_timeout: 5000` or more.",
  },
};
