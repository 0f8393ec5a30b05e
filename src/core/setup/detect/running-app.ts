/** Processes of PM2, as far as it concerns the repository. Paths are relative to the root. */
export interface RunningApp {
  readonly name: string;
  readonly cwd: string | undefined;
  readonly script: string | undefined;
}
