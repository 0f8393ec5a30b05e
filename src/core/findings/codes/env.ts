import type { CodeDocs } from "../rule.ts";

export const envCodes: CodeDocs = {
  ENV_FILE_NOT_FOUND: {
    summary: "The environment has no env file; `path` is where svcm looked for it.",
    remedy:
      "Create the file there, name another environment with `--environment`, or set SVC_SERVICE_MANAGEMENT_CONFIG_DIR to the folder that holds your env files.",
  },
  ENV_FILE_NOT_DECLARED: {
    summary: "`svcm.yaml` does not name an env file for this environment of the service.",
    remedy: "Add the file below `env` in `svcm.yaml`, for example `env: { production: .env.production }`.",
  },
  ENV_FILE_ENCRYPTED: {
    summary: "The env file is encrypted with dotenvx. svcm does not read or write encrypted files.",
    remedy: "Read values with `dotenvx get -f FILE` and change them with `dotenvx set KEY value -f FILE`.",
  },
  ENV_FILE_CHANGED: {
    summary: "The file was changed after you read it: `If-Match` names an older content.",
    remedy: "Read it again, look at what changed, and send your change with the new `ETag`.",
  },
  ENV_FILE_NOT_UTF8: {
    summary: "The file is not UTF-8 text; it was not touched.",
    remedy: "Convert it, for example with `iconv -f UTF-16 -t UTF-8`, or restore it from version control.",
  },
  ENV_FILE_UNEDITABLE: {
    summary: "The value cannot be written so that every reader of env files reads it back unchanged.",
    explanation: "The usual reason is an earlier line that leaves a quote open.",
    remedy: "Run `svcm env check`, close the quote that it reports, and repeat the command.",
  },
  ENV_TOO_MANY_ISSUES: {
    summary: "The env file has more than 1,000 findings; the first 1,000 are listed.",
    remedy: "Correct these, most often one faulty program appended the same line again and again, then check again.",
  },
  ENV_KEY_MISSING: {
    summary: "A mandatory key is absent.",
    remedy: "Add it with `svcm env set KEY=VALUE`; the message names the key.",
  },
  ENV_KEY_DUPLICATE: {
    summary: "A key occurs twice; the last line counts.",
    remedy: "Delete all lines of the key but the last one.",
  },
  ENV_KEY_CASE: {
    summary: "A key differs from a runtime key by upper and lower case only.",
    remedy: "Write the key as the message spells it; readers of env files distinguish case.",
  },
  ENV_KEY_UNKNOWN: {
    summary: "A key looks like a misspelled runtime key (warning).",
    remedy: "Correct the spelling, or ignore the warning if the key is yours.",
  },
  ENV_KEY_NOT_EDITABLE: {
    summary: "The key is outside the write allowlist.",
    explanation: "Only keys of the tier `editable` in config/runtime-contract.yaml are written.",
    remedy: "Edit the line by hand, or give the key the tier `editable` in config/runtime-contract.yaml.",
  },
  ENV_KEY_NOT_VISIBLE: {
    summary: "The key is outside the read allowlist.",
    explanation: "Keys that config/runtime-contract.yaml does not list are treated as secrets and never shown.",
    remedy: "Read the file itself, or list the key as `read-only` in config/runtime-contract.yaml.",
  },
  ENV_VALUE_UNSUPPORTED: {
    summary: "The value is not an accepted one.",
    remedy: "Choose one of the values that the message lists; `svcm env set` shows the canonical spelling.",
  },
  ENV_VALUE_CREDENTIALS: {
    summary: "A URL carries a user, a password or a parameter that looks like a secret.",
    remedy: "Write the URL without them and pass the password in a key of its own that is never exposed.",
  },
  ENV_VALUE_CONTROL_CHARACTER: {
    summary: "The value holds a control character, a line break or broken Unicode.",
    remedy: "Remove the character that the message shows; a value is one line of text.",
  },
  ENV_VALUE_TOO_LONG: {
    summary: "The value has more than 4,096 characters.",
    remedy: "Shorten it, or keep the content in a file and set the key to its path.",
  },
  ENV_VALUE_UNQUOTABLE: {
    summary: "No quotes make every reader of env files give the value back.",
    explanation: "An env file has three kinds of quotes, and no escapes that all readers share.",
    remedy: "Leave out one of the two quotes ' and `, and a backslash at the end of the value.",
  },
  ENV_VALUE_HASH: {
    summary: "An unquoted value is followed by a `#` without a space (warning).",
    explanation: "dotenv and `node --env-file` end the value there; python-dotenv, Docker Compose and shells read on.",
    remedy: "Quote the value if the `#` belongs to it; write a space before the `#` if it begins a comment.",
  },
  ENV_VALUE_EXPANDED: {
    summary: "The value holds `$NAME` or `${NAME}`, which some readers replace (warning).",
    explanation:
      "dotenv and `node --env-file` take it literally; Bun (even between single quotes), Docker Compose and shells replace it by the value of that variable.",
    remedy: "Write a value without `$` if one of them reads the file; otherwise ignore the warning.",
  },
  ENV_LINE_UNREADABLE: {
    summary: "The line assigns nothing.",
    remedy: "Write `KEY=value`, or put `#` in front of it if it is a comment.",
  },
  ENV_LINE_AMBIGUOUS: {
    summary: "`node --env-file` and dotenv may read the line differently (warning).",
    remedy:
      "Write the line as `KEY=value` without tabs, the value in single quotes if it holds spaces, and save the file without a byte order mark.",
  },
};
