import * as z from "zod";
import { SOCKET_PATH, SUBPROTOCOL, TOKEN_SUBPROTOCOL } from "./channel.ts";
import { clientFrames, serverFrames } from "./frames.ts";
import { frameExamples } from "./frame-examples.ts";
import { wordPattern } from "./names.ts";

type Json = Readonly<Record<string, unknown>>;
type FrameName = keyof typeof clientFrames | keyof typeof serverFrames;

/** The version of the protocol, not of svcm; the subprotocol `svcm.v1` names it. */
const PROTOCOL_VERSION = "1.0.0";

const DESCRIPTION = `Live metrics of processes and host, and actions on processes. Frames are JSON text, one object each, of at most 16 KiB to the server; \
binary frames are refused. A refused frame is answered with \`error\`, and the connection stays open; too many close it (1008). \
The subprotocol is ${SUBPROTOCOL}; a client that cannot set a header may offer \`${TOKEN_SUBPROTOCOL}<token as base64url>\` beside it.`;

const SERVERS = {
  local: {
    host: "127.0.0.1:3200",
    protocol: "ws",
    description: "The default address of `svcm serve`.",
    security: [{ $ref: "#/components/securitySchemes/bearer" }],
  },
};

const SECURITY_SCHEMES = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "The value of SVC_SERVICE_MANAGEMENT_AUTH_TOKEN, in the upgrade's Authorization header, as a subprotocol, or " +
      "as `token` of a frame. On a loopback address metrics need no token, and actions need it if it is set; " +
      "on any other address both need it.",
  },
};

/** From the server's side. @param environments the spellings that a subscription accepts */
export function asyncApiDocument(environments: readonly string[]): Json {
  const received = Object.keys(clientFrames) as FrameName[];
  const sent = Object.keys(serverFrames) as FrameName[];
  const names = [...received, ...sent];
  return {
    asyncapi: "3.0.0",
    info: {
      title: "Service Management metrics channel",
      version: PROTOCOL_VERSION,
      description: DESCRIPTION,
      license: { name: "MIT" },
    },
    defaultContentType: "application/json",
    servers: SERVERS,
    channels: {
      "pm2-ws": {
        address: SOCKET_PATH,
        description: "One subscription a connection; subscribing again replaces it.",
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
        bindings: { ws: { method: "GET", bindingVersion: "0.1.0" } },
      },
    },
    operations: {
      receive: operation("receive", "Frames from clients.", received),
      send: operation("send", "Frames from the server.", sent),
    },
    components: {
      messages: Object.fromEntries(names.map((name) => [name, message(name, environments)])),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function operation(action: "receive" | "send", summary: string, names: readonly FrameName[]): Json {
  const messages = names.map((name) => ({ $ref: `#/channels/pm2-ws/messages/${name}` }));
  return { action, channel: { $ref: "#/channels/pm2-ws" }, summary, messages };
}

function message(name: FrameName, environments: readonly string[]): Json {
  const { $schema: _, description, ...payload } = z.toJSONSchema(frameSchema(name), { target: "draft-7", io: "input" });
  return {
    name,
    ...(description !== undefined && { summary: description }),
    payload: { ...payload, ...rulesBeyondSchema(name, payload, environments) },
    examples: frameExamples[name].map((frame) => ({ payload: frame })),
  };
}

function rulesBeyondSchema(name: FrameName, { properties }: Json, environments: readonly string[]): Json {
  if (name === "action") return { oneOf: ACTION_SCOPES };
  if (name !== "subscribe") return {};
  const { environment, ...others } = properties as Record<string, Json>;
  const pattern = wordPattern(environments);
  return { properties: { type: others["type"], environment: { ...environment, pattern }, ...others } };
}

const has = (...members: string[]): Json => ({ required: members });
const hasNone = (...members: string[]): Json => ({ not: { anyOf: members.map((member) => has(member)) } });

const ACTION_SCOPES: readonly Json[] = [
  {
    title: "One process, or all instances of one app",
    properties: { scope: { const: "process" } },
    anyOf: [has("name"), has("pmId")],
  },
  {
    title: "All processes of a namespace",
    properties: { scope: { const: "namespace" } },
    ...has("scope"),
    oneOf: [has("namespace"), has("name")],
    ...hasNone("pmId"),
  },
  {
    title: "Apps as the ecosystem file declares them",
    properties: { scope: { const: "ecosystem" }, action: { enum: ["start", "restart"] } },
    ...has("scope"),
    ...hasNone("pmId", "namespace"),
  },
];

function frameSchema(name: FrameName): z.core.$ZodType {
  return { ...clientFrames, ...serverFrames }[name];
}
