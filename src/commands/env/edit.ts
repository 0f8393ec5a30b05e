import { envRewrite, envSource, SvcmError, FileError, privateCopy, type PrivateCopy } from "../../core/index.ts";
import { pickEnvironment, envFlags, SvcmCommand } from "../base.ts";
import { finishWrite, renderWrite, restartFlag } from "../terminal/changes.ts";
import { toFailure, printFailure } from "../terminal/failure.ts";
import { canPrompt, confirm } from "../terminal/prompt.ts";
import { EditorError, TerminalFileError, UsageError } from "../terminal/errors.ts";
import { STDERR } from "../terminal/output.ts";
import { runProgram } from "../terminal/program.ts";
import { isStderrTerminal, isStdoutTerminal } from "../terminal/screen.ts";

export default class EnvEdit extends SvcmCommand {
  static override summary = "Edit an env file in your editor.";
  static override description =
    "Opens a private copy of the file with the command in VISUAL, else in EDITOR, else with vi. When the editor exits, checks the copy and replaces the file atomically. You may change comments, layout and the values of editable keys. Writes nothing if the value of another key changed, if the copy has a new error, or if the file itself changed in the meantime. Keeps a copy with unsaved changes, and shows its path.";
  static override examples = [
    "EDITOR=true <%= config.bin %> env edit",
    "EDITOR='sed -i s/PAGE_SIZE=.*/PAGE_SIZE=50/' <%= config.bin %> env edit --environment production",
  ];
  static override flags = { ...envFlags, restart: restartFlag };

  async run() {
    const { flags } = await this.parse(EnvEdit);
    const editor = requireEditor(hasTerminal());
    const { bytes, entityTag, fileName } = await this.execute(envSource, pickEnvironment(flags));
    const { saved, isChanged } = await editCopy({
      editor,
      fileName,
      bytes,
      save: (content) => this.execute(envRewrite, { ...pickEnvironment(flags), content, ifMatch: entityTag }),
      shouldRetry: (error) => this.#shouldRetry(error),
      isStdoutReserved: this.jsonEnabled(),
    });
    const isLayout = isChanged && saved.changedKeys.length === 0;
    this.log(isLayout ? `Changed in ${fileName}: comments or layout, no values.` : renderWrite(saved));
    await finishWrite(this, saved, { place: pickEnvironment(flags), restart: flags.restart });
    return saved;
  }

  async #shouldRetry(error: unknown): Promise<boolean> {
    if (!canPrompt(this) || !(error instanceof SvcmError) || error.kind !== "INVALID_PAYLOAD") return false;
    printFailure(toFailure(error));
    return await confirm("Edit again?");
  }
}

export interface EditSession<Saved> {
  readonly editor: string;
  readonly fileName: string;
  readonly bytes: Uint8Array;
  readonly save: (content: Uint8Array<ArrayBuffer>) => Promise<Saved>;
  readonly shouldRetry: (error: unknown) => Promise<boolean>;
  readonly isStdoutReserved: boolean;
}

/**
 * Opens a private copy until `save` accepts it. A changed copy that was not saved is kept, and the error names its
 * path.
 */
async function editCopy<Saved>(session: EditSession<Saved>): Promise<{ saved: Saved; isChanged: boolean }> {
  const { editor, fileName, bytes, save, shouldRetry, isStdoutReserved } = session;
  const copy = await withTerminalErrors(() => privateCopy(fileName, bytes));
  for (;;) {
    try {
      await runEditor(editor, copy, isStdoutReserved);
      const content = await withTerminalErrors(() => copy.read());
      const saved = await save(content);
      copy.remove();
      return { saved, isChanged: !isEqual(content, bytes) };
    } catch (error) {
      const content = await copy.read().catch(() => bytes);
      if (isEqual(content, bytes)) copy.remove();
      else if (await shouldRetry(error)) continue;
      throw withCopyFate(error, isEqual(content, bytes) ? undefined : copy.path);
    }
  }
}

const SCREEN_EDITOR =
  /^\s*(?:\S*\/)?(?:vi|vim|nvim|view|nano|pico|emacs|emacsclient|micro|helix|hx|kak|joe|jed|mcedit|ne|mg|e3|tilde)(?:\s|$)/;

/**
 * Without a terminal, these print the whole file, with its secrets, where the output goes.
 * @throws {UsageError}
 */
function requireEditor(isTerminal: boolean): string {
  const editor = process.env["VISUAL"] || process.env["EDITOR"] || "vi";
  if (isTerminal || !SCREEN_EDITOR.test(editor)) return editor;
  throw new UsageError(
    `svcm env edit opens ${JSON.stringify(editor.trim().slice(0, 80))}, which needs a terminal, and svcm does not run in one. Accepted: a terminal, or a program in VISUAL or EDITOR that works without one.`,
    "svcm env set KEY=VALUE changes a value without an editor",
  );
}

function hasTerminal(): boolean {
  return process.stdin.isTTY && (isStdoutTerminal() || isStderrTerminal());
}

/** Runs the editor as Git does: as a shell command line, with the file as its last argument. */
async function runEditor(editor: string, { folder, path }: PrivateCopy, isStdoutReserved: boolean): Promise<void> {
  // An editor that writes temporary files puts them into the private folder.
  const env = { ...process.env, TMPDIR: folder };
  // A command may print the file, which belongs into no pipe and no log.
  const stdout = !hasTerminal() ? "ignore" : isStdoutReserved ? STDERR : "inherit";
  const stdio = ["inherit", stdout, "inherit"] as const;
  const { code, signal } = await runProgram("/bin/sh", ["-c", `${editor} "$1"`, "sh", path], {
    env,
    stdio: [...stdio],
  });
  if (code !== 0) throw new EditorError(editor, signal === null ? `exit code ${code}` : signal);
}

/** Adds the path of the user's version. If issues are shown instead of the details, the hint has the path, too. */
function withCopyFate(error: unknown, copyPath: string | undefined): unknown {
  const fate =
    copyPath === undefined ? "The copy was not changed, and is deleted." : `Your version is kept in ${copyPath}.`;
  if (error instanceof EditorError) return new EditorError(error.editor, error.reason, fate);
  if (!(error instanceof SvcmError)) return error;
  const { details, hint, issues } = error.body;
  const body = { ...error.body, details: [details, fate].filter(Boolean).join(" ") };
  return new SvcmError(error.kind, issues ? { ...body, hint: [hint, fate].filter(Boolean).join(" ") } : body);
}

async function withTerminalErrors<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    throw error instanceof FileError ? new TerminalFileError(error.code, error.path, error.message) : error;
  }
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
