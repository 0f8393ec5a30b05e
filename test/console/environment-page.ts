/** The tab of the runtime environment, its files, and how a user works with it. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { serve, type Served } from "../support/svcm.ts";
import { CONFIG_FOLDER, makeWorkspace, type TestWorkspace } from "../support/workspace.ts";
import { openConsole, type Browser, type ConsoleOptions, type OpenedConsole } from "./open-console.ts";

const REFERENCE = join(import.meta.dirname, "../..", CONFIG_FOLDER);

export interface EnvironmentPage extends OpenedConsole {
  readonly server: Served;
  readonly files: TestWorkspace;
  /** The text of an env file on the disk. */
  text(name?: string): string;
  changeFile(append: string, name?: string): void;
  save(): Promise<void>;
}

/** A repository with the env files of the reference backend. */
export function referenceFiles(): TestWorkspace {
  const files = makeWorkspace({});
  cpSync(REFERENCE, files.path(CONFIG_FOLDER), { recursive: true });
  return files;
}

export interface EnvironmentOptions extends ConsoleOptions {
  readonly files?: TestWorkspace;
  /** Of the server. */
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

/** A text as it is read, whatever its line breaks. */
export function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
