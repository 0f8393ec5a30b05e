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
  "Declarative sources": {
    FACT_INVALID: {
      summary: "`config/runtime-contract.yaml` or `config/capability-matrix.yaml` is not valid; `issues` say where.",
    },
    FACT_SHAPE: { summary: "A value has not the accepted shape." },
    FACT_UNKNOWN_KEY: { summary: "A key that the document does not have." },
    FACT_REFERENCE: { summary: "A name that refers to nothing, or stands twice." },
    YAML_EMPTY: { summary: "The file is empty, or holds comments only." },
    YAML_SYNTAX: { summary: "The text is not YAML 1.2." },
    YAML_MULTIPLE_DOCUMENTS: { summary: "The file holds more than one document." },
    YAML_DUPLICATE_KEY: { summary: "A key stands twice in one map; readers disagree on which counts." },
    YAML_KEY: { summary: "A merge key or __proto__, which readers take differently." },
    YAML_TAG: { summary: "A tag that svcm does not resolve." },
    YAML_ALIAS: {
      summary: "An alias without an anchor before it, one that contains itself, or aliases that expand to too much.",
    },
    YAML_AMBIGUOUS: { summary: "A word that is text in YAML 1.2 and a boolean in YAML 1.1 (warning); quote it." },
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
  Requests: {
    INPUT_INVALID: { summary: "The input has not the accepted shape." },
    INPUT_DUPLICATE_MEMBER: { summary: "A JSON object names a member twice." },
    CODE_NOT_FOUND: { summary: "No code of that name." },
    DEFECT: { summary: "A defect of svcm." },
  },
};
