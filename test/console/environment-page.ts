/** The tab of the runtime environment, its files, and how a person works with it. */
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { CONFIG_FOLDER, makeWorkspace, type TestWorkspace } from "../support/workspace.ts";
import { servedConsole, type Browser, type ServedConsole, type ServedOptions } from "./served-console.ts";

const REFERENCE = join(import.meta.dirname, "../..", CONFIG_FOLDER);

export interface EnvironmentPage extends ServedConsole {
  readonly files: TestWorkspace;
  /** The text of an env file on the disk. */
  text(name?: string): string;
  changeFile(append: string, name?: string): void;
  field(label: string): Locator;
  button(name: string): Locator;
  save(): Promise<void>;
}

/** A repository with the env files of the reference backend. */
export function referenceFiles(): TestWorkspace {
  const files = makeWorkspace({});
  cpSync(REFERENCE, files.path(CONFIG_FOLDER), { recursive: true });
  return files;
}

type Options = Partial<ServedOptions> & { readonly files?: TestWorkspace };

export async function environmentPage(browser: Browser, options: Options = {}): Promise<EnvironmentPage> {
  const { files = referenceFiles(), ...rest } = options;
  const opened = await servedConsole(browser, { tab: "environment", root: files.root, ...rest });
  const { page } = opened;
  const nameOf = (name = "dev"): string => `${CONFIG_FOLDER}/.env.${name}`;
  const text = (name?: string): string => files.read(nameOf(name));
  return {
    ...opened,
    files,
    text,
    changeFile: (append, name) => files.write(nameOf(name), text(name) + append),
    field: (label) => page.getByLabel(label, { exact: true }),
    button: (name) => page.getByRole("button", { name, exact: true }),
    save: () => page.getByRole("button", { name: "Save", exact: true }).click(),
  };
}

/** Answers the next question of the page, and resolves with it. */
export function answerNext(page: Page, yes: boolean): Promise<string> {
  return new Promise((resolve) => {
    page.once("dialog", (dialog) => {
      resolve(dialog.message());
      void (yes ? dialog.accept() : dialog.dismiss());
    });
  });
}

/** A text as it is read, whatever its line breaks. */
export function flat(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
