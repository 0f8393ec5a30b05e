import type { CodeDocs } from "../../findings/rule.ts";

export const requestCodes: CodeDocs = {
  WRONG_USAGE: {
    summary: "The command line has an argument or a flag that the command does not take, or lacks one that it needs.",
    remedy: "Run the command with `--help`: it lists arguments, flags and examples.",
  },
  COMMAND_NOT_FOUND: {
    summary: "svcm has no such command.",
    remedy: "Run `svcm help` to list all commands.",
  },
  ROOT_INVALID: {
    summary: "The path in `--root` or SVC_SERVICE_MANAGEMENT_ROOT is not a folder.",
    remedy: "Name the folder that contains deployments.yaml, or omit the option inside the repository.",
  },
  SERVICE_REQUIRED: {
    summary: "The repository has several services, and the request does not name one.",
    remedy: "Name one with `--service NAME`, or `service=` in a request; the message lists them.",
  },
  SERVICE_UNKNOWN: {
    summary: "`svcm.yaml` does not declare a service of this name.",
    remedy: "Use one of the names that the message lists, or add the service to `svcm.yaml`.",
  },
  INPUT_INVALID: {
    summary: "The input does not have the accepted shape.",
    remedy: "Send an input that the message accepts; `GET /api/openapi.json` describes every request.",
  },
  INPUT_DUPLICATE_MEMBER: {
    summary: "A JSON object has the same member twice.",
    remedy: "Send each member once.",
  },
  CODE_NOT_FOUND: {
    summary: "svcm has no such code.",
    remedy: "Copy the code from the last line of the error, or from `code` in its JSON.",
  },
  INVALID_PAYLOAD: {
    summary: "A value that you gave is not accepted; nothing was written.",
    remedy: "Correct every value that the message lists, and repeat the command.",
  },
  CHECK_NOTHING: {
    summary: "`svcm check` found no file that it could check, so it does not report a success.",
    remedy: "Run it in a repository with PM2 or env files, or name one with `--root`. `svcm init` sets one up.",
  },
  CHECK_PATH_UNKNOWN: {
    summary: "`svcm check` does not check the file that the path names.",
    remedy: "Name one of the listed files, or run it without a path. `svcm env check --file` checks any env file.",
  },
  ENVIRONMENT_REQUIRED: {
    summary: "A change of processes names no environment, and `svcm.yaml` has no `default`.",
    explanation:
      "`svcm init` writes no `default` where several environments start the same apps: a machine has one of them, and the repository does not say which. Reading shows the first environment.",
    remedy: "Name it with `-e`, set `NODE_ENV`, or declare `default` in `svcm.yaml`.",
  },
  INVALID_ENVIRONMENT: {
    summary: "This command does not accept the environment.",
    explanation: "Without `--environment`, NODE_ENV decides; without NODE_ENV it is `dev`.",
    remedy: "Name an accepted one with `--environment <name>`; the message lists them.",
  },
  INVALID_REQUEST: {
    summary: "svcm does not understand the request.",
    remedy: "Correct what the message names, or run the command with `--help`.",
  },
  UNAUTHORIZED: {
    summary: "The service needs a token, but the token of the request is missing or wrong.",
    remedy:
      "Use a token of `svcm token create`, or set SVC_SERVICE_MANAGEMENT_AUTH_TOKEN to the token that the service was started with.",
  },
  RIGHT_MISSING: {
    summary: "The role of the token does not permit the request.",
    explanation:
      "A viewer reads. An operator also reads logs and acts on processes. An editor also writes env files and declarations, and applies. An admin also manages tokens.",
    remedy:
      "Use a token with the role that the message names; `svcm token create` makes one. A user of a fleet has the role of `nats.users` in `svcm.yaml`.",
  },
  TOKEN_LIMITED: {
    summary: "The token is limited to environments or services, and the request concerns another one.",
    explanation:
      "A limited token may read what all environments share, such as the list of processes. It changes only what one of its environments or services declares.",
    remedy: "Name an environment or a service that the message lists, or use another token.",
  },
  TOKENS_FAILED: {
    summary: "The token file could not be read or written, so no token is accepted.",
    remedy: "Read the details: they name the file and the reason.",
  },
  TOKENS_INVALID: {
    summary: "`.svcm/tokens.json` is not a file that svcm wrote, so no token is accepted.",
    remedy: "Restore the file, or remove it and create the tokens again with `svcm token create`.",
  },
  TOKEN_EXISTS: {
    summary: "A token with this name already exists.",
    remedy: "Choose another name, or remove the old token with `svcm token revoke <name>`.",
  },
  TOKEN_NOT_FOUND: {
    summary: "No token has this name.",
    remedy: "Run `svcm token list` to see the names.",
  },
  FORBIDDEN: {
    summary: "The service does not accept requests from this site or for this host.",
    explanation: "It checks `Host` and `Origin`, so other web pages cannot use it.",
    remedy: "Use an address of the service itself, or add the name to SVC_SERVICE_MANAGEMENT_ALLOWED_HOSTS.",
  },
  NOT_FOUND: {
    summary: "There is no resource at that address.",
    remedy: "Check the path; `GET /api/openapi.json` lists every route.",
  },
  METHOD_NOT_ALLOWED: {
    summary: "The path exists, but not with this method.",
    remedy: "Use a method that the header `Allow` of the answer lists.",
  },
  REQUEST_TIMEOUT: {
    summary: "The request did not arrive in time.",
    remedy: "Send it again. If this happens often, check the connection.",
  },
  PAYLOAD_TOO_LARGE: {
    summary: "The body of the request is larger than the limit.",
    remedy: "Send less at once: 64 KiB for a request, 4 MiB for a deployments document.",
  },
  REQUEST_CUT_OFF: {
    summary: "The connection closed before the whole body of the request arrived; nothing was changed.",
    remedy: "Send the request again. If this happens often, check the client and the proxies in between.",
  },
  UNSUPPORTED_MEDIA_TYPE: {
    summary: "The service does not read this content type.",
    remedy: "Send `Content-Type: application/json`; `POST /api/validate` also takes `application/yaml`.",
  },
  UPGRADE_REQUIRED: {
    summary: "This address accepts only WebSocket connections.",
    remedy: "Connect with a WebSocket client, for example `svcm metrics watch --url <url>`.",
  },
  HEADERS_TOO_LARGE: {
    summary: "The headers of the request are larger than the limit.",
    remedy: "Send fewer or shorter headers; cookies of other pages on the same host are the usual reason.",
  },
  ENV_FILE_FAILED: {
    summary: "An env file could not be read or written.",
    remedy: "Read the details: they name the file and the reason.",
  },
  SUITE_FILE_FAILED: {
    summary: "A deployments document could not be read or written.",
    remedy:
      "Read the details: they name the file and the reason; `svcm validate` lists everything that is wrong in it.",
  },
  REVISION_FAILED: {
    summary: "A Git revision could not be read.",
    remedy: "Read the details: they have Git's reason; `git log` shows the revisions that exist.",
  },
  ECOSYSTEM_FILE_FAILED: {
    summary: "A PM2 ecosystem file could not be read.",
    remedy: "Run `svcm ecosystem check` for everything that is wrong in it.",
  },
  AUDIT_FAILED: {
    summary: "The audit log could not be read or written; without a record svcm changes nothing.",
    remedy: "Make the file writable, or name another one with SVC_SERVICE_MANAGEMENT_AUDIT_FILE.",
  },
  EVENTS_FAILED: {
    summary: "`pm2.log` in PM2_HOME could not be read, so svcm does not know what happened to the processes.",
    remedy: "Run svcm as the user of PM2's daemon. It must be a regular file: svcm follows no link and reads no pipe.",
  },
  PM2_METRICS_FAILED: {
    summary: "svcm could not collect the metrics of PM2.",
    remedy: "Run `svcm ls`: it gives the reason and the next step.",
  },
  START_REFUSED: {
    summary: "`svcm serve` does not start with this configuration.",
    remedy: "Correct the flag or variable that the message names.",
  },
  RATE_LIMITED: {
    summary: "An address sent too many wrong tokens, or a client sent too many frames or actions.",
    remedy: "Wait for the time in `Retry-After`, then send the token in SVC_SERVICE_MANAGEMENT_AUTH_TOKEN.",
  },
  SERVICE_BUSY: {
    summary: "The service has reached its limit of concurrent requests.",
    remedy: "Send it again after the time in `Retry-After`.",
  },
  DEFECT: {
    summary: "This is a defect in svcm.",
    remedy:
      "Run the command again with SVCM_DEBUG=1, and report its output, the command line and `svcm --version` to the project.",
  },
};
