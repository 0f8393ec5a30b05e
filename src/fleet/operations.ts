import { entityTag, type TaggedResponse, type Ports } from "../core/index.ts";

/** For an env file, only the visible part and the entity tag leave the machine, never the bytes. */
export function sentOf(ports: Ports, output: unknown): unknown {
  if (!isEnvRead(output)) return output;
  return { response: output.response, entityTag: entityTag(ports, output.bytes) };
}

function isEnvRead(output: unknown): output is TaggedResponse<unknown> {
  return typeof output === "object" && output !== null && "bytes" in output && "response" in output;
}
