/** Standard output, or a file of the user's own such as a completion script, could not be written. */
export class TerminalFileError extends Error {
  override readonly name = "TerminalFileError";
  readonly code: string;
  readonly path: string;

  constructor(code: string, path: string, message: string) {
    super(message);
    this.code = code;
    this.path = path;
  }
}
