export interface RunningCommand {
  readonly id: string;
  readonly verb: string;
  /** The words after the verb, without options. */
  readonly words: readonly string[];
  readonly user: string;
}
