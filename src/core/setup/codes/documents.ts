import type { CodeDocs } from "../../findings/rule.ts";

export const sourceCodes: CodeDocs = {
  FACT_INVALID: {
    summary:
      "`config/runtime-contract.yaml` or `config/capability-matrix.yaml` is not valid; `issues` lists the problems.",
    remedy:
      "Correct the lines that the message names. `svcm schema runtime-contract` and `svcm schema capability-matrix` print the accepted form.",
  },
  FACT_KEYS_TWICE: {
    summary: "`svcm.yaml` declares keys, and `config/runtime-contract.yaml` exists too.",
    remedy: "Keep one: remove `keys` from `svcm.yaml`, or move the entries there and delete the other file.",
  },
  FOLDER_VARIABLE_AMBIGUOUS: {
    summary:
      "SVC_SERVICE_MANAGEMENT_CONFIG_DIR or SVC_SERVICE_MANAGEMENT_PM2_DIR names one folder for files of `svcm.yaml` that have the same name.",
    remedy: "Unset the variable; `svcm.yaml` names the folders.",
  },
  KEYS_ELSEWHERE: {
    summary: "No file of the repository declares its keys, so svcm cannot edit them.",
    explanation:
      "Keys are declared in `svcm.yaml` or in `config/runtime-contract.yaml`, or they are those of the packaged contract.",
    remedy: "Run `svcm init` for a proposal, or add `keys: {}` to `svcm.yaml`.",
  },
  KEY_NOT_DECLARED: {
    summary: "The file with the keys of the repository does not declare the key.",
    remedy: "Correct the spelling; `svcm keys list` shows the keys, and `svcm keys add` declares a new one.",
  },
  KEY_DECLARED: {
    summary: "The key to add is declared already.",
    remedy: "Run `svcm keys allow KEY` or `svcm keys hide KEY` to change what svcm may do with it.",
  },
  FACT_SHAPE: {
    summary: "A value does not have the accepted shape.",
    remedy:
      "Write a value that the message lists as accepted; an editor with the JSON Schema (`svcm schema`) completes it.",
  },
  FACT_UNKNOWN_KEY: {
    summary: "The document does not have such a key.",
    remedy: "Correct the spelling, or delete the key.",
  },
  FACT_SECRET_VISIBLE: {
    summary: "A runtime contract exposes a key that has the name of a secret.",
    explanation:
      "SVC_JWT_TOKEN_SECRET_KEY, SVC_REDIS_PASSWORD and SVC_RABBITMQ_URL are never exposed, and neither is a key with a secret's name: PASSWORD, TOKEN, API_KEY, ...",
    remedy: "Give the key `kind: secret` and `tier: never-exposed`, or another name if it does not hold a secret.",
  },
  FACT_REFERENCE: {
    summary: "A name refers to something that does not exist, or is declared twice.",
    remedy: "Declare the name, correct its spelling, or delete the second declaration.",
  },
  YAML_EMPTY: {
    summary: "The file is empty, or holds only comments.",
    remedy: "Write at least one section, for example with `svcm targets add` or `svcm config set`.",
  },
  YAML_TOO_MANY_ISSUES: {
    summary: "The text has more than 1,000 issues; the first 1,000 are listed.",
    remedy: "Correct the first ones and check again: one wrong line often causes all of them.",
  },
  YAML_SYNTAX: {
    summary: "The text is not YAML 1.2.",
    remedy: "Correct the line that the message names; look at its indentation, its quotes and the line above it.",
  },
  YAML_MULTIPLE_DOCUMENTS: {
    summary: "The file contains more than one document.",
    remedy: "Remove the line `---` between them, or move the second document to a separate file.",
  },
  YAML_DUPLICATE_KEY: {
    summary: "A map has the same key twice; readers of YAML disagree on which one counts.",
    remedy: "Delete or rename one of them.",
  },
  YAML_KEY: {
    summary: "The document has a merge key (`<<`) or `__proto__`, which readers of YAML treat differently.",
    remedy: "Write the members out, or use an alias for the whole value.",
  },
  YAML_TAG: {
    summary: "svcm does not resolve this tag.",
    remedy: "Remove the tag; quote the value if it is text.",
  },
  YAML_ALIAS: {
    summary: "An alias has no anchor before it, contains itself, or expands to too much.",
    remedy: "Correct the name of the anchor, or write the value out.",
  },
  YAML_AMBIGUOUS: {
    summary: "A word is text in YAML 1.2, but a boolean, date or number in YAML 1.1 (warning).",
    remedy: "Put it in quotes.",
  },
  JSON_SYNTAX: {
    summary: "The file is named .json, but it is not JSON.",
    remedy: "Correct the line that the message names, or rename the file to .yaml.",
  },
  YAML_DEPTH: {
    summary: "The document is nested too deeply.",
    remedy: "Flatten it: a deployments document needs only a few levels.",
  },
};

export const documentCodes: CodeDocs = {
  SUITE_SHAPE: {
    summary: "A part of the document has the wrong type.",
    explanation:
      "The document and serviceConfiguration are maps. interfaces and deployments are lists, and each entry is a map.",
    remedy: "Write the part as the message says; `svcm schema deployments` prints the whole shape.",
  },
  SUITE_UNKNOWN_KEY: {
    summary: "The document does not have such a key.",
    explanation: "svcm reports unknown keys and never drops them: most of them are misspelled.",
    remedy: "Correct the spelling, or delete the key.",
  },
  SUITE_TOO_MANY_ISSUES: {
    summary: "One section has more than 1,000 issues; the first 1,000 are listed.",
    remedy: "Correct the first ones and validate again: one wrong line often causes all of them.",
  },
  SUITE_TEXT_EXPECTED: {
    summary: "A field that takes text has a number, a boolean or another value.",
    explanation: "YAML reads 1.10 as the number 1.1, and true as a boolean, unless they are in quotes.",
    remedy: "Put the value in quotes.",
  },
  SUITE_CHARACTERS: {
    summary: "A text contains characters that are invisible or that change its direction.",
    explanation:
      "svcm refuses control characters, zero-width characters and marks that change the direction of text. A name can be in any script, but must be in Unicode normalization form NFC, so that names that look equal are equal.",
    remedy: "Type the text again without the character that the message shows.",
  },
  SUITE_WHITE_SPACE: {
    summary: "A text begins or ends with white space.",
    explanation: "Such white space is invisible and usually a mistake. svcm never removes it silently.",
    remedy: "Delete the white space at the beginning and the end of the text.",
  },
  SUITE_FILE_NOT_FOUND: {
    summary: "There is no deployments document at `path`.",
    remedy: "Give the file with `--file`, the repository with `--root`, or create it with `svcm targets add`.",
  },
  SUITE_FILE_NOT_UTF8: {
    summary: "The file is not UTF-8 text.",
    remedy: "Convert it, for example with `iconv -f UTF-16 -t UTF-8`.",
  },
  SUITE_FILE_CHANGED: {
    summary: "The document has changed since you read it: `If-Match` does not match its content.",
    remedy: "Read it again, review the difference, and send your change with the new `ETag`.",
  },
  SUITE_FILE_UNEDITABLE: {
    summary: "The change would affect lines that do not belong to it.",
    explanation:
      "svcm never rewrites a whole document. It refuses a change that would affect another entry through an anchor, or that would remove comments.",
    remedy: "Edit the lines that the message names by hand, then run `svcm validate`.",
  },
  TARGET_NOT_FOUND: {
    summary: "There is no deploy target with that name.",
    remedy: "Choose one of the names that `svcm targets list` shows.",
  },
  TARGET_AMBIGUOUS: {
    summary: "Several deploy targets have that name.",
    remedy: "Rename one of them in the file.",
  },
  INTERFACE_NOT_FOUND: {
    summary: "There is no interface adapter with that controller mapping or number.",
    remedy: "Choose one that `svcm interfaces list` shows.",
  },
  INTERFACE_AMBIGUOUS: {
    summary: "Several interface adapters have that controller mapping.",
    remedy: "Use the number of the adapter in `svcm interfaces list`.",
  },
};

export const revisionCodes: CodeDocs = {
  REVISION_NOT_FOUND: {
    summary: "The revision does not name a commit of this repository.",
    explanation: "A shallow clone lacks older commits. A repository without a commit has no HEAD.",
    remedy:
      "Check the name with `git log`; in a shallow clone, fetch the older commits (`git fetch --unshallow`, or `fetch-depth: 0` in GitHub Actions).",
  },
  GIT_NOT_FOUND: {
    summary: "The program `git` is not in the PATH.",
    remedy: "Install Git, or add its folder to the PATH.",
  },
  GIT_NO_REPOSITORY: {
    summary: "The repository root is not in a work tree of Git.",
    remedy: "Run the command inside a clone, or name one with `--root <dir>`.",
  },
  GIT_OWNERSHIP: {
    summary: "Git does not trust a repository that belongs to another user.",
    remedy: "If you trust it, run `git config --global --add safe.directory <root>`.",
  },
  GIT_WORK_TREE_MOVED: {
    summary: "Git's setting `core.worktree` moves the work tree away from the repository.",
    remedy: "Run `git config --unset core.worktree`, or compare two files with another tool.",
  },
  GIT_TIMEOUT: {
    summary: "Git did not answer in time, so svcm stopped it.",
    remedy: "Run `git status` there to see if the repository or its disk hangs.",
  },
  GIT_FAILED: {
    summary: "Git reported an error; `details` has its message.",
    remedy: "Run the same Git command in the repository and correct what it reports.",
  },
};
