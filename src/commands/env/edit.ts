import { envRewrite, envSource, SvcmError } from "../../core/index.ts";
import { pickEnvironment, envFlags, SvcmCommand } from "../base.ts";
import { renderWrite } from "../terminal/changes.ts";
import { editCopy, hasTerminal, requireEditor } from "../terminal/editor.ts";
import { toFailure, printFailure } from "../terminal/failure.ts";
import { finishWrite, restartFlag } from "../terminal/stale-processes.ts";
import { canPrompt, confirm } from "../terminal/prompt.ts";

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
