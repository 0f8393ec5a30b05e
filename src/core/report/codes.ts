/** What `svcm explain` tells of a code. A rule of the suite document brings its own, beside its check. */
export interface CodeDoc {
  readonly summary: string;
  readonly explanation?: string;
}

/** Every code that is not a rule's, by what it is about. A test compares them with the source. */
export const codeDocs: Readonly<Record<string, Readonly<Record<string, CodeDoc>>>> = {
  "Env files": {
    ENV_FILE_NOT_FOUND: { summary: "The environment has no env file; `path` says where it was looked for." },
    ENV_FILE_CHANGED: { summary: "`If-Match` named another content: the file was changed meanwhile." },
    ENV_FILE_NOT_UTF8: { summary: "The file is not UTF-8 text; it was not touched." },
    ENV_FILE_UNEDITABLE: {
      summary:
        "The value cannot be written so that every reader gives it back, most often since an earlier line leaves a quote open.",
    },
    ENV_KEY_MISSING: { summary: "A mandatory key is absent." },
    ENV_KEY_DUPLICATE: { summary: "A key stands again further down; the last line counts." },
    ENV_KEY_CASE: { summary: "A key differs from a runtime key by case only." },
    ENV_KEY_UNKNOWN: { summary: "A key is nearly a runtime key (warning)." },
    ENV_KEY_NOT_EDITABLE: { summary: "The key is outside the write allowlist." },
    ENV_KEY_NOT_VISIBLE: { summary: "The key is outside the read allowlist." },
    ENV_VALUE_UNSUPPORTED: { summary: "The value is not among the accepted ones." },
    ENV_VALUE_CREDENTIALS: { summary: "A URL carries a user, a password or a secret-like parameter." },
    ENV_VALUE_CONTROL_CHARACTER: { summary: "The value holds a control character, a line break or broken Unicode." },
    ENV_VALUE_TOO_LONG: { summary: "The value has more than 4,096 characters." },
    ENV_LINE_UNREADABLE: { summary: "The line assigns nothing." },
    ENV_LINE_AMBIGUOUS: { summary: "`node --env-file` and dotenv may read the line differently (warning)." },
  },
  Files: {
    ENOTREG: { summary: "Not a regular file." },
    EFBIG: { summary: "Larger than the cap." },
    EOUTSIDE: { summary: "A link leads outside the repository and the config directory." },
    ELOCKED: { summary: "Another process held the lock for too long; the message names it." },
    EEXIST: { summary: "Something of that name exists already." },
    ECHANGED: { summary: "The file changed under the write again and again." },
    EUNKNOWN: { summary: "The system gave no code." },
  },
  "Profiles and startup": {
    PROFILE_NOT_FOUND: { summary: "No operational profile of that name." },
    PROFILE_VALUE_MISSING: { summary: "A placeholder of the profile needs a value." },
    PROFILE_VALUE_UNKNOWN: { summary: "A value was given for a key that the profile does not leave open." },
    STARTUP_VALUE_UNSUPPORTED: { summary: "A key has a value that the entrypoint cannot start with." },
    STARTUP_REALTIME_OFF: { summary: "A realtime entrypoint with `SVC_REALTIME_API` not `yes`." },
    STARTUP_PROTOCOL_MISMATCH: { summary: "`SVC_REALTIME_API_PROTOCOL` names the other entrypoint." },
    STARTUP_REDIS_URL_MISSING: { summary: "The redis-streams adapter has no Redis URL." },
    STARTUP_BROWSER_DRIVER: { summary: "A browser driver in a server-side process." },
  },
  "PM2 ecosystem files": {
    ECOSYSTEM_FILE_SYNTAX: { summary: "The file is not valid JavaScript, JSON or YAML; `details` say where." },
    ECOSYSTEM_FILE_THREW: {
      summary: "The file threw an error while it ran; `details` say where.",
      explanation: "Its message is not shown, since it may quote a secret. Run the file with `node <path>` to see it.",
    },
    ECOSYSTEM_FILE_EXITED: { summary: "The file ended its process instead of exporting apps." },
    ECOSYSTEM_FILE_TIMEOUT: {
      summary: "The file did not end within 3 seconds and was killed.",
      explanation:
        "PM2 itself would wait for ever. Look for an endless loop, or for something that is asked over a network.",
    },
    ECOSYSTEM_FILE_CRASHED: {
      summary:
        "The process that ran the file died, most often of its memory limit: 256 MiB of heap, 1 GiB of everything.",
    },
    ECOSYSTEM_FILE_TOO_LARGE: { summary: "The file exports more than 1 MiB, or more than 1,000 apps." },
    ECOSYSTEM_FILE_ASYNC: { summary: "The file awaits at its top level; PM2 cannot load such a module." },
    ECOSYSTEM_MODULE_NOT_FOUND: { summary: "The file needs a module that is not installed where it stands." },
    ECOSYSTEM_EXPORT_INVALID: {
      summary: "What the file exports is no object, or its apps are none.",
      explanation: "A function or a promise is not called or awaited by PM2 either. Export `{ apps: [...] }`.",
    },
    ECOSYSTEM_FILE_KIND: {
      summary: "PM2 takes the file for another kind, since it looks for its endings anywhere in the path.",
    },
    ECOSYSTEM_FILE_NAME: {
      summary: "A file is named almost like the ecosystem file; PM2 would run it as a script and show it as online.",
      explanation:
        "PM2 reads `.config.cjs`, `.config.js`, `.config.mjs`, `.json`, `.yml` and `.yaml` as declarations, and runs everything else.",
    },
    ECOSYSTEM_FILE_SHADOWED: {
      summary: "The environment has several ecosystem files, of which one is read (warning).",
    },
    ECOSYSTEM_DEFAULT_EXPORT: {
      summary: "An ES module exports its apps as `default`, where PM2 silently finds none.",
      explanation: "Write `export const apps = [...]`, or use `.config.cjs` with `module.exports`.",
    },
    ECOSYSTEM_APPS_MISSING: { summary: "The file declares no app." },
    ECOSYSTEM_FIELD_TYPE: { summary: "A field has a type that PM2 refuses, and the whole file with it." },
    ECOSYSTEM_FIELD_UNKNOWN: { summary: "PM2 knows no such field and silently ignores it (warning)." },
    ECOSYSTEM_ENV_BLOCK_UNUSED: {
      summary: "A block `env_<name>` is read only with `--env <name>` (warning).",
      explanation:
        "Each environment has an ecosystem file of its own, and the derived command passes no `--env`: what stands in the block has no effect. Move it to `env`.",
    },
    ECOSYSTEM_NAME_DUPLICATE: { summary: "Two apps have one name." },
    ECOSYSTEM_NAME_AMBIGUOUS: {
      summary:
        "PM2 takes the app's name for something else: every process, an id, a pattern, a file, a namespace, a list.",
    },
    ECOSYSTEM_SUFFIX_MISSING: {
      summary: "No app has the name ending that the service kind of `deployments.yaml` implies.",
      explanation:
        "`svcm matrix show` lists the endings: `restapi`, and `websocketapi` or `grpcapi` for a realtime kind.",
    },
    ECOSYSTEM_SCRIPT_MISSING: {
      summary: "An app has no script, or the script is not on this machine. A built entrypoint has to be built first.",
    },
    ECOSYSTEM_CWD_MISSING: { summary: "The app's folder is not on this machine." },
    ECOSYSTEM_ENV_FILE_MISSING: { summary: "`--env-file` names a file that is not there: Node.js would not start." },
    ECOSYSTEM_ENV_FILE_RELATIVE: {
      summary: "In cluster mode a relative `--env-file` is looked for from the folder of PM2's daemon.",
      explanation: "Give an absolute path, for example with `path.join(__dirname, ...)`.",
    },
    ECOSYSTEM_PORT_INVALID: { summary: "A port to listen on is no integer from 1 to 65535." },
    ECOSYSTEM_PORT_COLLISION: { summary: "Two apps would listen on one port." },
    ECOSYSTEM_PORT_INSTANCES: { summary: "Several instances in fork mode would listen on one port." },
    ECOSYSTEM_KILL_TIMEOUT: {
      summary: "A server has less than 5 seconds to finish requests before PM2 kills it (warning).",
      explanation: "PM2's default is 1600 ms after SIGINT. Set `kill_timeout: 5000` or more.",
    },
  },
  "Declarative sources": {
    FACT_INVALID: {
      summary: "`config/runtime-contract.yaml` or `config/capability-matrix.yaml` is not valid; `issues` say where.",
    },
    FACT_SHAPE: { summary: "A value has not the accepted shape." },
    FACT_UNKNOWN_KEY: { summary: "A key that the document does not have." },
    FACT_REFERENCE: { summary: "A name that refers to nothing, or stands twice." },
    YAML_EMPTY: { summary: "The file is empty, or holds comments only." },
    YAML_TOO_MANY_ISSUES: { summary: "The text has more issues than anybody reads; 10,000 of them are told." },
    YAML_SYNTAX: { summary: "The text is not YAML 1.2." },
    YAML_MULTIPLE_DOCUMENTS: { summary: "The file holds more than one document." },
    YAML_DUPLICATE_KEY: { summary: "A key stands twice in one map; readers disagree on which counts." },
    YAML_KEY: { summary: "A merge key or __proto__, which readers take differently." },
    YAML_TAG: { summary: "A tag that svcm does not resolve." },
    YAML_ALIAS: {
      summary: "An alias without an anchor before it, one that contains itself, or aliases that expand to too much.",
    },
    YAML_AMBIGUOUS: {
      summary: "A word that is text in YAML 1.2, and a boolean, date or number in YAML 1.1 (warning); quote it.",
    },
    JSON_SYNTAX: { summary: "The file is named .json, and is not JSON." },
    YAML_DEPTH: { summary: "The document is nested too deeply." },
  },
  "Suite document": {
    SUITE_FILE_NOT_FOUND: { summary: "There is no suite document at `path`." },
    SUITE_FILE_NOT_UTF8: { summary: "The file is not UTF-8 text." },
    SUITE_FILE_UNEDITABLE: {
      summary: "The change cannot be made by changing only its own lines.",
      explanation:
        "svcm never prints a document anew. It refuses where a change would reach another entry through an anchor, or would take comments with it; the message says where. Change the file by hand there.",
    },
    TARGET_NOT_FOUND: { summary: "No deploy target of that name." },
    TARGET_AMBIGUOUS: { summary: "Several deploy targets have that name; rename one of them in the file." },
    INTERFACE_NOT_FOUND: { summary: "No interface adapter of that controller mapping or number." },
    INTERFACE_AMBIGUOUS: {
      summary: "Several interface adapters have that controller mapping; name one by its number.",
    },
  },
  Revisions: {
    REVISION_NOT_FOUND: {
      summary: "The revision names no commit of this repository.",
      explanation:
        "A shallow clone lacks older commits: fetch them first (`git fetch --unshallow`, or `fetch-depth: 0` in GitHub Actions). A repository without a commit has no HEAD.",
    },
    GIT_NOT_FOUND: { summary: "The program `git` is not in the PATH." },
    GIT_NO_REPOSITORY: { summary: "The repository root is in no work tree of Git." },
    GIT_OWNERSHIP: {
      summary: "Git does not trust a repository that belongs to another user.",
      explanation: "Where it is yours to trust, `git config --global --add safe.directory <root>` says so.",
    },
    GIT_TIMEOUT: { summary: "Git gave no answer in time and was stopped." },
    GIT_FAILED: { summary: "Git refused; `details` holds its own words." },
  },
  Requests: {
    INPUT_INVALID: { summary: "The input has not the accepted shape." },
    INPUT_DUPLICATE_MEMBER: { summary: "A JSON object names a member twice." },
    CODE_NOT_FOUND: { summary: "No code of that name." },
    DEFECT: { summary: "A defect of svcm." },
  },
};
