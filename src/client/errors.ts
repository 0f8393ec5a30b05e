/** The service refused a request, with a stable code, for example `UNAUTHORIZED` or `INVALID_SUBSCRIPTION`. */
export class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * The connection was lost after an action was sent and before its result arrived. The action may have happened; the
 * metrics show whether it did. It is never sent again.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = "OutcomeUnknownError";

  constructor() {
    super("The connection was lost before the result of the action came. It may have happened or not.");
  }
}
