import type { EnvCheckResponse, EnvDiffResponse, EnvReadResponse, EnvWriteResponse } from "../../core/api/bodies.ts";
import type { Asking, Query } from "./request.ts";

const PATH = "/api/runtime/env";

interface Change {
  readonly environment: string;
  readonly values: Readonly<Record<string, string>>;
}

export function envFiles({ ask, askTagged }: Asking, of: (query: Query) => Query) {
  return {
    envRead: (environment: string, signal?: AbortSignal) =>
      askTagged<EnvReadResponse>({ path: PATH, query: of({ environment }), signal }),
    envWrite: (change: Change, entityTag?: string) =>
      askTagged<EnvWriteResponse>({
        path: PATH,
        body: { ...change, ...of({}) },
        ...(entityTag !== undefined && { headers: { "if-match": entityTag } }),
      }),
    envCheck: (environment: string, signal?: AbortSignal) =>
      ask<EnvCheckResponse>({ path: `${PATH}/check`, query: of({ environment }), signal }),
    envDiff: (from: string, to: string, signal?: AbortSignal) =>
      ask<EnvDiffResponse>({ path: `${PATH}/diff`, query: of({ from, to }), signal }),
  };
}
