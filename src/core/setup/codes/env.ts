import type { CodeDocs } from "../../findings/rule.ts";

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
    summary: "The file has changed since you read it: `If-Match` does not match its content.",
    remedy: "Read it again, review the difference, and send your change with the new `ETag`.",
  },
  ENV_FILE_NOT_UTF8: {
    summary: "The file is not UTF-8 text; svcm did not change it.",
    remedy: "Convert it, for example with `iconv -f UTF-16 -t UTF-8`, or restore it from version control.",
  },
  ENV_FILE_UNEDITABLE: {
    summary: "Some readers of env files would not read the value correctly, however svcm writes it.",
    explanation: "The usual cause is an earlier line that leaves a quote open.",
    remedy: "Run `svcm env check`, close the quote that it reports, and repeat the command.",
  },
  ENV_TOO_MANY_ISSUES: {
    summary: "The env file has more than 1,000 findings; the first 1,000 are listed.",
    remedy: "Correct these and check again. A faulty program may have appended the same line many times.",
  },
  ENV_KEY_NOT_EDITABLE: {
    summary: "The key is outside the write allowlist.",
    explanation: "Only keys of the tier `editable` in svcm.yaml, or in config/runtime-contract.yaml, are written.",
    remedy:
      "Run `svcm keys allow KEY`, or `svcm keys add KEY --allow` if no file declares the key. Or edit the line of the env file by hand.",
  },
  ENV_KEYS_APART: {
    summary: "The keys to remove are in several files, but a command changes only one file.",
    remedy: "Remove the keys of each file with a separate `svcm env unset`.",
  },
  ENV_LAYER_SHARED: {
    summary: "The key is in a file that other environments also read.",
    explanation: "A command changes only one environment, but removing the line would also change the others.",
    remedy: "Override the value with `svcm env set`, or edit the shared file by hand.",
  },
  ENV_EXPORT_UNWRITABLE: {
    summary: "The format cannot hold the value or the name of a key.",
    explanation: "`docker --env-file` has no quotes and no escapes; a shell variable has only letters, digits and `_`.",
    remedy: "Export with `--format json`, which holds every value.",
  },
  ENV_TEMPLATE_NOT_FOUND: {
    summary: "There is no template beside the env file; `path` is where svcm looked for it.",
    remedy: "Make one with `svcm env template > .env.example`, or name it as `template` in `svcm.yaml`.",
  },
  ENV_EDITOR_FAILED: {
    summary: "The editor did not start, or ended with an error. Nothing was written.",
    remedy:
      "Set VISUAL or EDITOR to the command of an editor that ends when the file is closed, for example `code --wait`.",
  },
  ENV_KEY_NOT_VISIBLE: {
    summary: "The key is outside the read allowlist.",
    explanation:
      "Keys that neither svcm.yaml nor config/runtime-contract.yaml lists are treated as secrets and never shown.",
    remedy:
      "Read the file itself, or list the key as `read-only` below `keys` in svcm.yaml, or in config/runtime-contract.yaml.",
  },
};
