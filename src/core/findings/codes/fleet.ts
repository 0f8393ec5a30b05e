import type { CodeDocs } from "../rule.ts";

/** The codes of requests between machines. */
export const fleetCodes: CodeDocs = {
  FLEET_FAILED: {
    summary: "A request to another machine failed.",
    remedy: "Read the details; `svcm nodes list` shows which machines answer.",
  },
  FLEET_UNREACHABLE: {
    summary: "No NATS server answers at the address.",
    remedy: "Start the server, or name another one with SVC_SERVICE_MANAGEMENT_NATS_URL or `nats.url` of `svcm.yaml`.",
  },
  FLEET_UNTRUSTED: {
    summary:
      "The NATS server has no TLS where the address or the settings require it, or a certificate that is not trusted.",
    remedy:
      "Name the signing certificate with SVC_SERVICE_MANAGEMENT_NATS_CA, and use the DNS name of the server's certificate in the address: an IP address does not match.",
  },
  FLEET_REFUSED: {
    summary: "The NATS server does not accept the credentials.",
    remedy:
      "SVC_SERVICE_MANAGEMENT_NATS_CREDENTIALS names the file of the key. Its public key must be an `nkey` of `svcm.yaml`, and the server must have the output of `svcm nats config`.",
  },
  FLEET_NOT_SET_UP: {
    summary: "The NATS server has no place for the nodes, their events and the lock of rollouts.",
    explanation: "Only an admin may make it, so a node or another user cannot replace it.",
    remedy:
      "Ask an admin of `nats.users` to run `svcm nats setup` once. Nodes that run already appear within ten seconds.",
  },
  NODE_UNKNOWN: {
    summary: "`svcm.yaml` does not declare such a node.",
    remedy: "Use the name of a declared node; `svcm nodes list` shows them.",
  },
  NODE_UNREACHABLE: {
    summary: "No svcm answers on the node.",
    remedy: "Start `svcm agent` or `svcm serve --nats` there; `svcm nodes list` shows who is away.",
  },
  NODE_TIMEOUT: {
    summary: "The node did not answer before the deadline.",
    explanation: "A change may still be under way. The audit log of the node has its outcome.",
    remedy: "Run `svcm audit` on the node.",
  },
  NODE_FORBIDDEN: {
    summary: "The NATS server does not permit the request to this user.",
    remedy:
      "Ask for another role in `nats.users` of `svcm.yaml`; the server takes the new output of `svcm nats config`.",
  },
  OPERATION_UNKNOWN: {
    summary: "The node does not answer such a request from another machine.",
    explanation: "It has another version of svcm, or the request may only be made on the machine itself.",
    remedy: "Bring the node to the version of this machine; `svcm nodes list` shows both.",
  },
  REQUEST_FORGED: {
    summary: "A request did not come from the user that it names, so the node refused it.",
    explanation:
      "A message that a node or a user has stored on the NATS server was sent to the node in the name of a user.",
    remedy: "Replace the keys of the node or user that stored it; the presence entries and events carry its name.",
  },
  REQUEST_LATE: {
    summary: "A change reached the node after its time, so the node did not carry it out.",
    remedy: "Send it again if it is still wanted.",
  },
  REQUEST_REPEATED: {
    summary: "The node has carried out this request already.",
    remedy: "Run `svcm audit` on the node to read its outcome.",
  },
  ROLLOUT_LOCKED: {
    summary: "Another rollout holds the lock of the fleet.",
    explanation:
      "One rollout runs at a time. If its svcm has died, the lock stays, because some nodes may be changed and others not.",
    remedy:
      "Read `svcm rollout status`. End the rollout with `svcm rollout resume` or `svcm rollout rollback`; `svcm rollout unlock` leaves every node as it is.",
  },
  ROLLOUT_MOVED_ON: {
    summary: "The request belongs to an earlier step of the rollout.",
    explanation: "Another svcm took the rollout over, or it has ended. The node changed nothing.",
    remedy: "Read `svcm rollout status`.",
  },
  ROLLOUT_NOT_FOUND: {
    summary: "No rollout holds the lock of the fleet.",
    remedy: "Begin one with `svcm apply --node <nodes>`; `svcm rollout status` shows the last one.",
  },
  ROLLOUT_HALF: {
    summary: "A node of the rollout is half done, so the rollout cannot go on.",
    remedy: "Return every node with `svcm rollout rollback`.",
  },
  ROLLOUT_UNREADABLE: {
    summary: "The record of the rollout has a form that this svcm does not know.",
    explanation: "Another version of svcm wrote it.",
    remedy: "Ask with the version that began the rollout; `svcm nodes list` shows the versions.",
  },
  ANSWER_TOO_LARGE: {
    summary: "The answer of the node is larger than the NATS server carries.",
    remedy: "Ask for less, or raise `max_payload` of the server.",
  },
};
