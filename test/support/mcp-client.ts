/** The SDK's own client, as an editor uses it. */
import { Client, StreamableHTTPClientTransport, type ClientOptions } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { plainEnvironment, RUN } from "./command-line.ts";

export interface CalledTool {
  readonly isError: boolean;
  /** The block of svcm. */
  readonly words: string;
  /** The block of what was found on the machine, with its marks. */
  readonly data: string;
  readonly bytes: number;
}

export interface Program {
  readonly client: Client;
  tools(): Promise<string[]>;
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<CalledTool>;
}

type Transport = Parameters<Client["connect"]>[0];

export async function connectProgram(
  transport: Transport,
  name = "an editor",
  options?: ClientOptions,
): Promise<Program> {
  const client = new Client({ name, version: "1.0.0" }, options);
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    async call(tool, args = {}) {
      const { content, isError = false } = await client.callTool({ name: tool, arguments: { ...args } });
      const texts = content.map((block) => (block.type === "text" ? block.text : ""));
      const bytes = Buffer.byteLength(texts.join(""));
      return { isError, words: texts[0] ?? "", data: texts[1] ?? "", bytes };
    },
  };
}

interface Place {
  readonly root: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A shell starts `svcm mcp`, so that the terminal of a test does not come from the same program. */
export function overStdio({ root, env = {} }: Place, ...flags: string[]): Promise<Program> {
  const command = [process.execPath, RUN, "mcp", ...flags].map((word) => `'${word}'`).join(" ");
  return connectProgram(stdio({ root, env }, "sh", ["-c", `${command}; exit $?`]));
}

export function overStdioDirectly({ root, env = {} }: Place, ...flags: string[]): Promise<Program> {
  return connectProgram(stdio({ root, env }, process.execPath, [RUN, "mcp", ...flags]));
}

function stdio({ root, env }: Place, command: string, args: string[]): StdioClientTransport {
  const variables = Object.entries(plainEnvironment({ HOME: root, ...env })).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return new StdioClientTransport({ command, args, cwd: root, env: Object.fromEntries(variables), stderr: "pipe" });
}

export function overHttp(url: string, token?: string, options?: ClientOptions): Promise<Program> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return connectProgram(
    new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }),
    "an editor",
    options,
  );
}

export function idIn({ words }: CalledTool): string {
  return /proposal ([A-Z2-7]{8})/.exec(words)?.[1] ?? "";
}
