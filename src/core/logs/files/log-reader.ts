import { createHmac } from "node:crypto";
import { type OutputLine, LogFailure, type Failure, type ReaderData, type Request, type Response } from "./protocol.ts";
import { ProcessList } from "./worker/process-list.ts";
import { readLogs } from "./worker/read-logs.ts";
import { Watches } from "./worker/watches.ts";

const SIGNATURE_CHARACTERS = 32;

/** Answers requests one by one, in the thread of a command or in a worker. */
export class LogReader {
  readonly #data: ReaderData;
  readonly #send: (response: Response<OutputLine>) => void;
  readonly #processList: ProcessList;
  readonly #watches: Watches;
  #patternReads = 0;

  /** @param onFailure while it follows logs */
  constructor(data: ReaderData, send: (response: Response<OutputLine>) => void, onFailure: (error: unknown) => void) {
    this.#data = data;
    this.#send = send;
    this.#processList = new ProcessList(data);
    this.#watches = new Watches(this.#processList, send, onFailure);
  }

  async answer(request: Request): Promise<void> {
    const isPatternRead = request.call.method === "read" && request.call.query.regexp !== undefined;
    if (isPatternRead) this.#patternReads += 1;
    try {
      await this.#run(request);
    } catch (error) {
      this.#send({ id: request.id, failure: toFailure(error) });
    } finally {
      if (isPatternRead) this.#patternReads -= 1;
    }
  }

  /** While it searches for a pattern or follows one, its silence means that it is stuck. */
  showAlive(): void {
    if (this.#patternReads > 0 || this.#watches.hasPattern) this.#send({ isAlive: true });
  }

  close(): void {
    this.#watches.close();
  }

  async #run({ id, call, secrets }: Request): Promise<void> {
    this.#processList.addSecrets(secrets);
    switch (call.method) {
      case "read": {
        const context = { processList: this.#processList, sign: (text: string) => sign(text, this.#data.key) };
        return this.#send({ id, page: await readLogs(context, call) });
      }
      case "watch":
        return this.#send({ id, places: await this.#watches.start(call.key, call.filter, call.isLossless) });
      case "taken":
        return this.#watches.taken(call.key);
      case "leave":
        return this.#watches.leave(call.key);
    }
  }
}

/** The cause may quote a log line, so it stays here. */
function toFailure(error: unknown): Failure {
  if (error instanceof LogFailure) return error.failure;
  const name = error instanceof Error ? error.name : "Error";
  return { kind: "LOGS_FAILED", code: "LOGS_FAILED", details: `Reading the logs failed: ${name}.` };
}

function sign(text: string, key: Uint8Array): string {
  return createHmac("sha256", key).update(text).digest("hex").slice(0, SIGNATURE_CHARACTERS);
}
