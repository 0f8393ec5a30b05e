import { cpSync } from "node:fs";
import { join } from "node:path";
import { serve, type ServeProcess } from "../support/svcm.ts";
import { CONFIG_FOLDER, makeWorkspace, type TestWorkspace } from "../support/workspace.ts";
import { openConsole, type Browser, type ConsoleOptions, type OpenedConsole } from "./open-console.ts";

const REFERENCE = join(import.meta.dirname, "../..", CONFIG_FOLDER);

export interface EnvironmentPage extends OpenedConsole {
  readonly server: ServeProcess;
  readonly files: TestWorkspace;
  text(name?: string): string;
  changeFile(append: string, name?: string): void;
  save(): Promise<void>;
}

export function referenceFiles(): TestWorkspace {
  const files = makeWorkspace({});
  cpSync(REFERENCE, files.path(CONFIG_FOLDER), { recursive: true });
  return files;
}

export interface EnvironmentOptions extends ConsoleOptions {
  readonly files?: TestWorkspace;
  readonly env?: Readonly<Record<string, string>>;
}

export async function environmentPage(browser: Browser, options: EnvironmentOptions = {}): Promise<EnvironmentPage> {
  const { files = referenceFiles(), env = {}, ...rest } = options;
  const server = await serve({ root: files.root, env });
  const opened = await openConsole(browser, server.url, { tab: "environment", ...rest });
  const nameOf = (name = "dev"): string => `${CONFIG_FOLDER}/.env.${name}`;
  const text = (name?: string): string => files.read(nameOf(name));
  return {
    ...opened,
    server,
    files,
    text,
    changeFile: (append, name) => files.write(nameOf(name), text(name) + append),
    save: () => opened.button("Save").click(),
  };
}

/** The text with normalised line breaks. */
export function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
