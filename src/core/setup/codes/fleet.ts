import type { CodeDocs } from "../../findings/rule.ts";

export const fleetCodes: CodeDocs = {
  FLEET_FAILED: {
    summary: "A request to another machine failed.",
    remedy: "Read the details; `svcm nodes list` shows which machines answer.",
  },
  FLEET_UNREACHABLE: {
    summary: "No NATS server answers at the address.",
    remedy: "Start the server, or name another one with SVC_SERVICE_MANAGEMENT_NATS_URL or `nats.url` in `svcm.yaml`.",
  },
  FLEET_UNTRUSTED: {
    summary:
      "The NATS server does not offer the TLS that the address or the settings require, or its certificate is not trusted.",
    remedy:
      "Set SVC_SERVICE_MANAGEMENT_NATS_CA to the file of the signing certificate, and use the DNS name of the server's certificate in the address: an IP address does not match.",
  },
  FLEET_REFUSED: {
    summary: "The NATS server does not accept the credentials.",
    remedy:
      "Check the key file that SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS names. Its public key must be an `nkey` in `svcm.yaml`, and the server must use the output of `svcm nats config`.",
  },
  FLEET_NOT_SET_UP: {
    summary: "The NATS server is not set up yet: it cannot store the nodes, their events and the lock of rollouts.",
    explanation: "Only an admin may set it up, so nodes and other users cannot replace what it stores.",
    remedy:
      "Ask an admin in `nats.users` to run `svcm nats setup` once. Nodes that already run appear within ten seconds.",
  },
  STREAMS_UNREACHABLE: {
    summary: "The NATS server does not answer for its streams.",
    explanation: "It is still starting, has no JetStream, or its accounts are those of a former svcm.",
    remedy:
      "Write the output of `svcm nats config` to the server's configuration, which needs `jetstream { … }`, and restart the server.",
  },
  STREAMS_REFUSED: {
    summary: "The NATS server refused a request to its streams; the message has its reason.",
    remedy: "Correct what the message names, for example `nats.replicas` or the disk of the server.",
  },
  NATS_TOO_OLD: {
    summary: "The NATS server is older than 2.10.27.",
    explanation: "One message of any key ends an older server, whatever its configuration.",
    remedy: "Install nats-server 2.10.27 or newer, which Debian 13 has, and restart the server.",
  },
  NATS_SETTINGS: {
    summary: "A stream of the NATS server has settings with which a key could change or hide what others have written.",
    remedy: "Ask an admin in `nats.users` to run `svcm nats setup`; `svcm nats check` shows every difference.",
  },
  NATS_USER_UNKNOWN: {
    summary: "The `svcm.yaml` of the node does not name the NATS user.",
    explanation: "The NATS server accepts the key, but each node decides by its own `svcm.yaml`.",
    remedy: "Declare the user under `nats.users`, and bring the file to every node.",
  },
  NODE_NAME_TAKEN: {
    summary: "Another svcm serves under the name of the node.",
    explanation: "Two machines with one name, such as a copied image, would answer and change at random.",
    remedy: "Stop the other svcm, or give this machine a separate name and key in `svcm.yaml`.",
  },
  ANSWER_INVALID: {
    summary: "A node's answer has a form that svcm does not know.",
    explanation: "It runs another version of svcm, or a program that is not svcm.",
    remedy: "Install the same version on both machines; `svcm nodes list` shows the versions.",
  },
  NODE_UNKNOWN: {
    summary: "`svcm.yaml` does not declare such a node.",
    remedy: "Use the name of a declared node; `svcm nodes list` shows them.",
  },
  NODE_UNREACHABLE: {
    summary: "No svcm answers on the node.",
    remedy: "Start `svcm agent` or `svcm serve --nats` there; `svcm nodes list` shows which nodes are away.",
  },
  NODE_TIMEOUT: {
    summary: "The node did not answer before the deadline.",
    explanation: "A change may still be in progress. The node's audit log has its outcome.",
    remedy: "Run `svcm audit` on the node.",
  },
  NODE_FORBIDDEN: {
    summary: "The NATS server does not permit the request to this user.",
    remedy:
      "Ask for another role under `nats.users` in `svcm.yaml`, and update the server with the new output of `svcm nats config`.",
  },
  OPERATION_UNKNOWN: {
    summary: "The node does not accept this request from another machine.",
    explanation: "It runs another version of svcm, or the request is only possible on the machine itself.",
    remedy: "Install the same version on both machines; `svcm nodes list` shows the versions.",
  },
  REQUEST_LATE: {
    summary: "A change reached the node too late, so the node did not carry it out.",
    remedy: "Send it again if you still want it.",
  },
  REQUEST_REPEATED: {
    summary: "The node has already carried out this request.",
    remedy: "Run `svcm audit` on the node to see its outcome.",
  },
  ROLLOUT_LOCKED: {
    summary: "Another rollout holds the lock of the environment.",
    explanation:
      "Each environment has one rollout at a time. If its svcm dies, the lock remains, because only some of the nodes may have changed.",
    remedy:
      "Run `svcm rollout status`. Finish the rollout with `svcm rollout resume` or `svcm rollout rollback`; `svcm rollout unlock` leaves every node as it is.",
  },
  ROLLOUT_MOVED_ON: {
    summary: "The request belongs to an earlier step of the rollout.",
    explanation: "Another svcm has taken over the rollout, or it has ended. The node changed nothing.",
    remedy: "Run `svcm rollout status`.",
  },
  ROLLOUT_NOT_FOUND: {
    summary: "No rollout holds the lock of the fleet.",
    remedy: "Begin one with `svcm apply --node <nodes>`; `svcm rollout status` shows the last one.",
  },
  ROLLOUT_HALF: {
    summary: "A node of the rollout is half done, so the rollout cannot continue.",
    remedy: "Roll back every node with `svcm rollout rollback`.",
  },
  ROLLOUT_UNREADABLE: {
    summary: "This version of svcm cannot read the record of the rollout.",
    explanation: "A user who may roll out wrote it with another version. Records of other users do not count.",
    remedy:
      "Use the version that began the rollout, which `svcm nodes list` shows, or leave every node as it is with `svcm rollout unlock`.",
  },
  ANSWER_TOO_LARGE: {
    summary: "The node's answer is larger than the NATS server permits.",
    remedy: "Request less, for example with `--limit`.",
  },
};
