import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The sockets of a server, as far as Node does not tell. */
export interface Connections {
  /** True while an answer is on its way on this socket: nothing else may be written. */
  isAnswering(socket: Socket): boolean;
  /** Takes no new connection, ends each that is not in use, and the others with the answer that they wait for. */
  windDown(): void;
}

export function watchConnections(server: Server): Connections {
  /** The last answer of each socket; none where nothing was asked yet, which Node takes for busy. */
  const answers = new Map<Socket, ServerResponse | undefined>();
  let isWindingDown = false;
  server.on("connection", (socket: Socket) => {
    if (isWindingDown) socket.destroy();
    answers.set(socket, undefined);
    socket.once("close", () => answers.delete(socket));
  });
  server.prependListener("request", ({ socket }, answer) => {
    answers.set(socket, answer);
  });
  return {
    isAnswering(socket) {
      const answer = answers.get(socket);
      return answer !== undefined && answer.headersSent && !answer.writableFinished;
    },
    windDown() {
      isWindingDown = true;
      for (const [socket, answer] of answers) endWith(socket, answer);
    },
  };
}

function endWith(socket: Socket, answer: ServerResponse | undefined): void {
  if (answer === undefined || answer.writableFinished) socket.destroy();
  else if (answer.headersSent) answer.once("finish", () => socket.destroySoon());
  else answer.setHeader("connection", "close");
}
