import type { CodeDocs } from "../../findings/rule.ts";

export const fileCodes: CodeDocs = {
  ENOTREG: {
    summary: "The path is not a regular file.",
    remedy:
      "Put a regular file at `path`; svcm does not read pipes, sockets and devices. `svcm validate --file -` reads standard input.",
  },
  EFBIG: {
    summary: "The file is larger than the limit.",
    remedy: "Split the file, or remove content that does not belong in it; the message names the limit.",
  },
  EOUTSIDE: {
    summary: "The path, or a link in it, leads outside the folders that svcm may use.",
    explanation: "These folders are the repository root, the config directory, and the `folders` of `svcm.yaml`.",
    remedy:
      "Name a file inside them, add its folder to `folders` in `svcm.yaml`, choose another repository with `--root <dir>`, or set SVC_SERVICE_MANAGEMENT_CONFIG_DIR to the folder of the env files.",
  },
  ELOCKED: {
    summary: "Another process held the lock for too long; the message names it.",
    remedy:
      "Wait until that process has finished, then repeat the command. If it hangs, end it: a dead process loses its lock.",
  },
  EEXIST: {
    summary: "A file or folder with that name already exists.",
    remedy: "Choose another name, or remove the existing one.",
  },
  ECHANGED: {
    summary: "Another program kept changing the file while svcm wrote it.",
    remedy: "Find the program that writes the file, stop it, and repeat the command.",
  },
  FILE_CHANGED: {
    summary: "The file changed between reading and writing; svcm did not write it.",
    remedy: "Repeat the command: it reads the file again.",
  },
  FILE_NOT_UTF8: {
    summary: "The file is not UTF-8 text; svcm did not change it.",
    remedy: "Convert it, for example with `iconv -f UTF-16 -t UTF-8`.",
  },
  EUNKNOWN: {
    summary: "The operating system reported no code.",
    remedy: "Read the message. If it does not help, repeat the command with SVCM_DEBUG=1.",
  },
  ENOENT: {
    summary: "There is no file or folder at `path`.",
    remedy: "Check the spelling of the path and the repository root (`--root <dir>`).",
  },
  EACCES: {
    summary: "Your user does not have permission to open the file or the socket.",
    remedy: "Run `ls -l` on the path; run svcm as its owner, or change the permissions.",
  },
  EPERM: {
    summary: "The operating system does not permit this to your user.",
    remedy: "Run svcm as the owner of the file or process; `lsattr` shows if the file is immutable.",
  },
  EISDIR: {
    summary: "The path is a folder; a file is expected.",
    remedy: "Name the file inside the folder, or remove the folder.",
  },
  ENOTDIR: {
    summary: "The path is a file; a folder is expected.",
    remedy: "Name a folder; `--root` takes the folder of the repository, not a file.",
  },
  ELOOP: {
    summary: "Symbolic links lead in a circle.",
    remedy: "Follow them with `namei <path>` and remove the one that points back.",
  },
  EROFS: {
    summary: "The file system is mounted read-only.",
    remedy: "Mount it writable. To move only the audit log, set SVC_SERVICE_MANAGEMENT_AUDIT_FILE.",
  },
  ENOSPC: {
    summary: "The disk is full; the file keeps its old content.",
    remedy: "Free some space (`df -h`, `df -i`) and repeat the command.",
  },
  EDQUOT: {
    summary: "Your disk quota is used up; the file keeps its old content.",
    remedy: "Free some of your space (`quota`) and repeat the command.",
  },
  EIO: {
    summary: "The disk reported an error.",
    remedy: "Check the kernel's log (`dmesg`) before you write to this disk again.",
  },
  EBUSY: {
    summary: "The file is a mount point or in use, so it cannot be replaced.",
    remedy: "Mount the folder instead of the single file, then repeat the command.",
  },
  EXDEV: {
    summary: "The file and its folder are on different file systems, so it cannot be replaced in one step.",
    remedy: "Mount the folder instead of the single file, then repeat the command.",
  },
  EMFILE: {
    summary: "The process has too many open files.",
    remedy: "Raise the limit with `ulimit -n`, and repeat the command.",
  },
};

export const connectionCodes: CodeDocs = {
  CONNECTION_FAILED: {
    summary: "svcm could not connect to the service at `--url`; the message has the reason.",
    remedy: "Check the host and port, and that `svcm serve` runs there: `curl <url>/healthz` answers if it does.",
  },
  NOT_SVCM_SERVE: {
    summary: "A server answers at `--url`, but it is not `svcm serve`.",
    remedy: "Use the address that `svcm serve` prints when it starts, for example http://127.0.0.1:3200.",
  },
  INVALID_SUBSCRIPTION: {
    summary: "A `subscribe` frame is not accepted; an earlier subscription stays.",
    remedy: "Send an accepted environment, and an `intervalMs` within the range that the message names.",
  },
  INVALID_ACTION: {
    summary: "An `action` frame is not accepted; nothing was done.",
    remedy: "Send what the message says is accepted; `svcm schema asyncapi` describes every frame.",
  },
  INVALID_FRAME: {
    summary: "A frame is not JSON, or is not accepted.",
    remedy: "Send what the message says is accepted; `svcm schema asyncapi` describes every frame.",
  },
  UNKNOWN_FRAME: {
    summary: "The `type` of a frame is not known.",
    remedy: "Use one of the types that the message lists.",
  },
  BINARY_FRAME: {
    summary: "The client sent a binary frame; the connection is closed.",
    remedy: "Send JSON as text frames.",
  },
};
