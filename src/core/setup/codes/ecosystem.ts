import type { CodeDocs } from "../../findings/rule.ts";

export const ecosystemCodes: CodeDocs = {
  ECOSYSTEM_FILE_SYNTAX: {
    summary: "The file is not valid JavaScript, JSON or YAML.",
    remedy: "Correct the named line; for JavaScript, `node --check` with that file also quotes it.",
  },
  ECOSYSTEM_FILE_THREW: {
    summary: "The file threw an error when it ran.",
    explanation:
      "svcm shows the class, code and position of the error. Its text may contain a secret, so it is never shown.",
    remedy: "Run `node` with that file to see the text of the error, and correct the named line.",
  },
  ECOSYSTEM_FILE_EXITED: {
    summary: "The file ended its process instead of exporting apps.",
    remedy: "Remove `process.exit()` from the file, and from every module that it requires.",
  },
  ECOSYSTEM_FILE_TIMEOUT: {
    summary: "The file did not end within 3 seconds and was killed.",
    explanation: "PM2 itself would wait forever.",
    remedy: "Remove endless loops, network requests and slow commands from the file, for example `npm root -g`.",
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
  ECOSYSTEM_FILE_ES_MODULE: {
    summary: "The file uses `module.exports` or `require`, but Node.js runs it as an ES module, so PM2 cannot load it.",
    explanation: 'A `.js` file is an ES module if the nearest `package.json` says `"type": "module"`.',
    remedy: "Rename the file to `.config.cjs`.",
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
    explanation: "PM2 neither calls an exported function nor awaits a promise.",
    remedy: "Export `{ apps: [...] }`.",
  },
};
