/** The command line was not understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly hint: string | undefined;
  readonly code: "WRONG_USAGE" | "COMMAND_NOT_FOUND";

  constructor(message: string, hint?: string, code: UsageError["code"] = "WRONG_USAGE") {
    super(message);
    this.hint = hint;
    this.code = code;
  }
}
