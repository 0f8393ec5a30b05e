import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import type { WhenOver } from "./temporary-folder.ts";

export interface Diagnostic {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly severity: number;
  readonly message: string;
}

/** Starts at 0. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface CompletionItem {
  readonly label: string;
  readonly insertText?: string;
}

/** An editor with one open document, with the functions that tests need. */
export interface Editor {
  /** Returns the diagnostics of a text. */
  diagnose(text: string): Promise<Diagnostic[]>;
  complete(text: string, at: Position): Promise<CompletionItem[]>;
  hover(text: string, at: Position): Promise<string>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly uri?: string; readonly version?: number; readonly items?: unknown[] };
  readonly result?: unknown;
}

const CAPABILITIES = {
  workspace: { configuration: true },
  textDocument: {
    completion: { completionItem: { snippetSupport: true, documentationFormat: ["markdown"] } },
    hover: { contentFormat: ["markdown"] },
  },
};

/** Starts yaml-language-server over stdio, with a schema for every file. It ends with the test or the file's tests. */
export async function openEditor(schema: string, whenOver: WhenOver = onTestFinished): Promise<Editor> {
  const wire = new Wire(serverProgram(), whenOver);
  const settings = {
    yaml: {
      schemas: { [pathToFileURL(schema).href]: "*.yaml" },
      schemaStore: { enable: false },
      hover: true,
      completion: true,
      validate: true,
    },
  };
  const configured = new Promise<void>((resolve) => {
    wire.answer = ({ method, params }) => {
      if (method !== "workspace/configuration") return null;
      resolve();
      return (params?.items ?? []).map(
        (item) => settings[(item as { section: keyof typeof settings }).section] ?? null,
      );
    };
  });
  await wire.request("initialize", { processId: process.pid, rootUri: null, capabilities: CAPABILITIES });
  wire.notify("initialized", {});
  wire.notify("workspace/didChangeConfiguration", { settings });
  // The server reads later messages after it has answered this one.
  await configured;
  let opened = 0;
  const open = (text: string): string => {
    const uri = `file:///editor/deployments-${++opened}.yaml`;
    wire.notify("textDocument/didOpen", { textDocument: { uri, languageId: "yaml", version: 1, text } });
    return uri;
  };
  const ask = async (method: string, text: string, position: Position): Promise<unknown> =>
    wire.request(`textDocument/${method}`, { textDocument: { uri: open(text) }, position });
  return {
    async diagnose(text) {
      const uri = open(text);
      const published = await wire.notified(
        (message) => message.method === "textDocument/publishDiagnostics" && message.params?.uri === uri,
      );
      return (published.params as { diagnostics?: Diagnostic[] } | undefined)?.diagnostics ?? [];
    },
    async complete(text, at) {
      const answer = (await ask("completion", text, at)) as { items?: CompletionItem[] } | null;
      return answer?.items ?? [];
    },
    async hover(text, at) {
      const answer = (await ask("hover", text, at)) as { contents?: { value?: string } } | null;
      return answer?.contents?.value ?? "";
    },
  };
}

/** JSON-RPC over the standard streams of a child. */
class Wire {
  answer: (message: Message) => unknown = () => null;
  readonly #child;
  readonly #pending = new Map<number, (message: Message) => void>();
  readonly #heard: Message[] = [];
  readonly #listeners = new Set<() => void>();
  #received = Buffer.alloc(0);
  #lastId = 0;

  constructor(program: string, whenOver: WhenOver) {
    this.#child = spawn(process.execPath, [program, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
    whenOver(() => void this.#child.kill("SIGKILL"));
    this.#child.stdout.on("data", (bytes: Buffer) => this.#receive(bytes));
  }

  notify(method: string, params: unknown): void {
    this.#send({ method, params });
  }

  request(method: string, params: unknown): Promise<unknown> {
    const id = ++this.#lastId;
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#pending.set(id, ({ result }) => resolve(result)));
  }

  /** The next matching message of the server, which may have arrived already. */
  notified(isMeant: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.#heard.find(isMeant);
        if (!found) return;
        this.#listeners.delete(look);
        resolve(found);
      };
      this.#listeners.add(look);
      look();
    });
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #receive(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
      const end = this.#received.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/i.exec(this.#received.toString("latin1", 0, Math.max(end, 0)))?.[1]);
      if (end < 0 || this.#received.length < end + 4 + length) return;
      const body = this.#received.toString("utf8", end + 4, end + 4 + length);
      this.#received = this.#received.subarray(end + 4 + length);
      this.#handle(JSON.parse(body) as Message);
    }
  }

  #handle(message: Message): void {
    if (message.method === undefined) {
      this.#pending.get(message.id ?? 0)?.(message);
      this.#pending.delete(message.id ?? 0);
    } else if (message.id === undefined) {
      this.#heard.push(message);
      for (const look of this.#listeners) look();
    } else this.#send({ id: message.id, result: this.answer(message) });
  }
}

function serverProgram(): string {
  const require = createRequire(import.meta.url);
  const manifest = require.resolve("yaml-language-server/package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> };
  return join(dirname(manifest), bin["yaml-language-server"] ?? "");
}
