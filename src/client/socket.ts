/** The part of WebSocket that svcm uses, as in browsers, in Node 22 and later, and in the package `ws`. */
export interface SocketLike {
  send(data: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(type: "close", listener: (event: { readonly code: number; readonly reason: string }) => void): void;
  addEventListener(type: "error", listener: (event: { readonly message?: unknown }) => void): void;
}

export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike;

/** Prefers the given WebSocket to the global one. @throws {TypeError} if there is neither */
export function socketConstructor(given: SocketConstructor | undefined): SocketConstructor {
  const found = given ?? (globalThis as { readonly WebSocket?: SocketConstructor }).WebSocket;
  if (found !== undefined) return found;
  throw new TypeError('There is no global WebSocket before Node 22. Accepted: { WebSocket } of the package "ws".');
}
