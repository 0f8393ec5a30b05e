import { createServer } from "node:net";
import ports from "../../pm2/ports.json" with { type: "json" };

export { ports };

export async function portProblems(): Promise<string[]> {
  const problems = await Promise.all(
    Object.entries(ports).map(async ([listener, port]) => {
      const code = await findPortError(port);
      if (code === undefined) return [];
      const reason = code === "EADDRINUSE" ? "is taken" : `cannot be used (${code})`;
      return [`Port ${port} ${reason}. It is "${listener}" in pm2/ports.json; give it another one there.`];
    }),
  );
  return problems.flat();
}

function findPortError(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(undefined)));
  });
}
