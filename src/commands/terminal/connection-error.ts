/** The service at `--url` could not be reached, or is another one. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  readonly code: "CONNECTION_FAILED" | "NOT_SVCM_SERVE";

  /** @param reason of the WebSocket */
  constructor(origin: string, reason: string) {
    const isOther = reason.startsWith("Unexpected server response");
    super(
      isOther
        ? `A server answers at ${origin}, but it is not svcm serve. (${reason})`
        : `No connection to ${origin}: ${inWords(reason)}`,
    );
    this.code = isOther ? "NOT_SVCM_SERVE" : "CONNECTION_FAILED";
  }
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name cannot be looked up now",
  ETIMEDOUT: "there was no answer in time",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  ECONNRESET: "the connection was cut",
};

/** The system's code in words; any other reason as it is. */
function inWords(reason: string): string {
  const code = /\b(E[A-Z_]{3,})\b/.exec(reason)?.[1] ?? "";
  const words = WORDS[code];
  return words === undefined ? reason : `${words} (${code})`;
}
