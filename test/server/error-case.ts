import type { ErrorKind } from "../../src/core/index.ts";
import type { ServerOptions, TestResponse, TestServer } from "./support.ts";

/** A row of the error table: a request and the kind of its refusal. */
export interface Case {
  readonly what: string;
  readonly kind: ErrorKind;
  /** Cases without options change nothing and share a server. */
  readonly options?: () => ServerOptions;
  readonly provoke: (server: TestServer) => Promise<Pick<TestResponse, "status" | "json">>;
}

/** For a case that changes its repository. */
export const alone = (): ServerOptions => ({});
