export interface AsyncContext {
  /** Keeps connections open until it is closed. */
  open(): AsyncContextClient;
}

export interface AsyncContextClient {
  /**
   * `GET http://127.0.0.1:<port>/async-context-metrics` without credentials and redirects, with limits for size and
   * time. Never throws.
   */
  get(port: number): Promise<AsyncContextResult>;

  close(): Promise<void>;
}

export type AsyncContextResult =
  | { readonly kind: "answer"; readonly status: number; readonly text: string }
  | { readonly kind: "too-large"; readonly status: number }
  | { readonly kind: "timeout" }
  | { readonly kind: "unreachable"; readonly code: string };

export interface HasAsyncContext {
  readonly asyncContext: AsyncContext;
}
