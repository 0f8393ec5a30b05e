/** Turns a request for a route into a response, for every framework and provider. Uses no Node API. */
import { HttpProblem, type RouteResponse, type Route } from "./route.ts";

export const MAX_BODY_BYTES = 64 * 1024;

export async function respond(
  route: Route,
  params: Readonly<Record<string, string>>,
  body: AsyncIterable<Uint8Array>,
): Promise<RouteResponse> {
  try {
    return await route.handle({ params, body: route.method === "POST" ? await readJson(body) : undefined });
  } catch (error) {
    return errorResponse(error);
  }
}

/** An error that the client did not cause is logged and not shown. */
export function errorResponse(error: unknown): RouteResponse {
  if (error instanceof HttpProblem) return { status: error.status, body: { error: error.message } };
  console.error(error);
  return { status: 500, body: { error: "Internal error." } };
}

/** @throws {HttpProblem} 413 over 64 KiB, 400 if the body is not JSON or ends early. */
async function readJson(body: AsyncIterable<Uint8Array>): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      // Continues to read, so that a client that is still writing receives the response.
      if (bytes <= MAX_BODY_BYTES) text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    throw new HttpProblem(400, "The body broke off.");
  }
  if (bytes > MAX_BODY_BYTES) throw new HttpProblem(413, `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  return parseJson(text + decoder.decode());
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpProblem(400, "The body is not JSON.");
  }
}
