import { connect } from "node:net";
import { codeOf } from "../../words/thrown.ts";

/** `undefined` if a process listens at PM2's socket, otherwise the system's code. A suspended daemon listens too. */
export function probe(socket: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const attempt = connect(socket);
    attempt.once("connect", () => {
      attempt.destroy();
      resolve(undefined);
    });
    attempt.once("error", (error) => {
      attempt.destroy();
      resolve(codeOf(error));
    });
  });
}
