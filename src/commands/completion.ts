import * as Args from "@oclif/core/args";
import { SvcmCommand } from "./base.ts";
import { completionScript, shells, type Shell } from "./terminal/completion/shells.ts";

export default class Completion extends SvcmCommand {
  static override summary = "Print the completion script for bash, zsh, fish or PowerShell.";
  static override description =
    "The script asks svcm each time you press Tab, so it never needs an update. It completes commands, flags, keys, values, environments, processes, targets and revisions. For bash, add source <(svcm completion bash) to ~/.bashrc. For zsh, add source <(svcm completion zsh) to ~/.zshrc, after compinit. For fish, run svcm completion fish > ~/.config/fish/completions/svcm.fish. For PowerShell, add svcm completion powershell | Out-String | Invoke-Expression to $PROFILE.";
  static override examples = ["<%= config.bin %> completion bash"];
  static override args = {
    shell: Args.string({ description: "Shell that the script is for.", options: [...shells], required: true }),
  };

  async run() {
    const { args } = await this.parse(Completion);
    const script = completionScript(args.shell as Shell);
    this.logExactly(script.trimEnd());
    return { shell: args.shell, script };
  }
}
