import { connect } from "node:net";

/**
 * Whether somebody listens at PM2's socket: undefined, or the system's code of why not. A daemon
 * that is suspended listens, too.
 */
export function probe(socket: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const attempt = connect(socket);
    attempt.once("connect", () => {
      attempt.destroy();
      resolve(undefined);
    });
    attempt.once("error", (error: NodeJS.ErrnoException) => {
      attempt.destroy();
      resolve(error.code ?? "EUNKNOWN");
    });
  });
}
