/** Between Node's messages and the handlers: bodies in, answers out, the same for every framework. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpProblem, type Answer, type Route } from "./route.ts";

export const MAX_BODY_BYTES = 64 * 1024;

/** Runs a route's handler; whatever goes wrong is an answer too. */
export async function respond(
  route: Route,
  params: Readonly<Record<string, string>>,
  readBody: () => Promise<unknown>,
): Promise<Answer> {
  try {
    const body = route.method === "POST" ? await readBody() : undefined;
    return await route.handle({ params, body });
  } catch (error) {
    if (error instanceof HttpProblem) return { status: error.status, body: { error: error.message } };
    console.error(error);
    return { status: 500, body: { error: "Internal error." } };
  }
}

/** Answers through Node's own response, which every framework on Node hands out. */
export async function answerNode(
  route: Route,
  params: Readonly<Record<string, string>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  send(response, await respond(route, params, () => readJson(request)));
}

export function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const text = body === undefined ? "" : JSON.stringify(body);
  response.writeHead(status, {
    ...(body !== undefined && { "content-type": "application/json; charset=utf-8" }),
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** @throws {HttpProblem} 413 over 64 KiB, 400 where the body is no JSON. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    // Read on, so that the client, which is still writing, gets to see the answer.
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (bytes > MAX_BODY_BYTES) throw new HttpProblem(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  return parseJson(Buffer.concat(chunks).toString("utf8"));
}

/** @throws {HttpProblem} 400 where the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem(400, "The body is not JSON.");
  }
}
