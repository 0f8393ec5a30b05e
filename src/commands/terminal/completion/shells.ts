export const shells = ["bash", "zsh", "fish", "powershell"] as const;
export type Shell = (typeof shells)[number];

/**
 * Contains no list, so it stays valid after an update of svcm or a change in the repository. It runs the program under
 * the name that was typed.
 */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}

/** `\$` stands for a dollar sign, because `${` begins a TypeScript expression. */
function literally({ raw: [text = ""] }: TemplateStringsArray): string {
  return text.replaceAll(String.raw`\$`, "$");
}

/**
 * The first line of the output is `none`, `files`, `folders` or `open`. Without candidates, the shell completes files
 * or folders; after `open`, no space follows a candidate. Each further line is a candidate, a tab and a description.
 */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: literally`# Completion of svcm for bash. In ~/.bashrc: source <(svcm completion bash)
_svcm_completion() {
  local line="\${COMP_LINE:0:COMP_POINT}" answer
  mapfile -t answer < <("\${COMP_WORDS[0]}" __complete bash "$COMP_WORDBREAKS" "$line" 2>/dev/null)
  COMPREPLY=("\${answer[@]:1}")
  case "\${answer[0]}" in
    open) compopt -o nospace ;;
    files) compopt -o default ;;
    folders) compopt -o dirnames ;;
  esac
}
complete -F _svcm_completion svcm
`,
  zsh: literally`#compdef svcm
# Completion of svcm for zsh. In ~/.zshrc, after compinit: source <(svcm completion zsh)
_svcm() {
  local -a answer values shown
  local line
  answer=("\${(@f)$("\${words[1]}" __complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  for line in "\${(@)answer[2,-1]}"; do
    values+=("\${line%%$'\t'*}")
    if [[ "$line" == *$'\t'?* ]]; then shown+=("\${line%%$'\t'*}  -- \${line#*$'\t'}"); else shown+=("\${line%%$'\t'*}"); fi
  done
  case "\${answer[1]}" in
    open) compadd -S '' -l -d shown -a values ;;
    files) (( \${#values} )) && compadd -l -d shown -a values || _files ;;
    folders) _files -/ ;;
    *) compadd -l -d shown -a values ;;
  esac
}
(( $+functions[compdef] )) && compdef _svcm svcm
`,
  fish: literally`# Completion of svcm for fish. In ~/.config/fish/completions/svcm.fish: svcm completion fish | source
function __svcm_complete
  set -l typed (commandline -opc) (commandline -ct)
  set -l answer ($typed[1] __complete fish -- $typed[2..-1] 2>/dev/null)
  if test (count $answer) -gt 1
    printf '%s\n' $answer[2..-1]
  else if test "$answer[1]" = files
    __fish_complete_path (commandline -ct)
  else if test "$answer[1]" = folders
    __fish_complete_directories (commandline -ct)
  end
end
complete --command svcm --no-files --arguments '(__svcm_complete)'
`,
  powershell: literally`# Completion of svcm for PowerShell. In $PROFILE: svcm completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName svcm -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $program = $commandAst.GetCommandName()
  $words = @()
  $unfinished = ''
  foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
    $text = $element.Extent.Text
    if ($element.Extent.StartOffset -ge $cursorPosition) { break }
    if ($element.Extent.EndOffset -ge $cursorPosition) {
      $unfinished = $text.Substring(0, $cursorPosition - $element.Extent.StartOffset) -replace '^[''"]|[''"]$', ''
    } elseif ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
      $words += $element.Value
    } else {
      $words += $text
    }
  }
  # Older versions drop an empty argument, so the unfinished word begins with an equals sign.
  $answer = @(& $program __complete powershell -- @words "=$unfinished" 2>$null)
  $candidates = @($answer | Select-Object -Skip 1)
  if ($candidates.Count -eq 0) {
    if ($answer[0] -eq 'files') { return }
    if ($answer[0] -eq 'folders') {
      return [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete) |
        Where-Object ResultType -eq 'ProviderContainer'
    }
    # Without any result, PowerShell completes files.
    return ''
  }
  foreach ($candidate in $candidates) {
    $value, $about = $candidate -split '\t', 2
    if (-not $about) { $about = $value }
    $shown = $value
    if ($value -notmatch '^[\w./:=+-]+$') {
      $value = "'" + [System.Management.Automation.Language.CodeGeneration]::EscapeSingleQuotedStringContent($value) + "'"
    }
    [System.Management.Automation.CompletionResult]::new($value, $shown, 'ParameterValue', $about)
  }
}
`,
};

export interface TypedLine {
  /** The last word is unfinished; it is empty after a space. */
  readonly words: readonly string[];
  readonly quote: string;
}

const WORD = /(?:\\.?|"(?:\\.|[^"\\])*(?:"|$)|'[^']*(?:'|$)|[^\s"'\\])+/gs;
const QUOTED_PART = /\\(.)|"((?:\\.|[^"\\])*)(?:"|$)|'([^']*)(?:'|$)/gs;
const CLOSED_QUOTE = /\\.|"(?:\\.|[^"\\])*"|'[^']*'/gs;

/** Expands nothing. bash itself also splits at `=` and `:`, so the original spaces would be lost. */
export function splitLine(line: string): TypedLine {
  const words: string[] = line.match(WORD) ?? [];
  const isBetween = words.length === 0 || !line.endsWith(words.at(-1) ?? "");
  if (isBetween) words.push("");
  const [quote = ""] = /["']/.exec(words.at(-1)?.replaceAll(CLOSED_QUOTE, "") ?? "") ?? [];
  return { words: words.map(unquote), quote };
}

function unquote(word: string): string {
  return word.replaceAll(QUOTED_PART, (_, escaped?: string, double?: string, single?: string) => {
    return escaped ?? single ?? double?.replaceAll(/\\(["\\$`])/g, "$1") ?? "";
  });
}

/** Removes the part that bash treats as a separate word, and escapes the rest for the open quote. */
export function escapeForBash(value: string, { words, quote }: TypedLine, wordBreaks: string): string {
  const typed = words.at(-1) ?? "";
  const breakLength = quote === "" ? wordBreakLength(typed, wordBreaks) : 0;
  const rest = value.slice(breakLength);
  return quote === "" ? rest.replaceAll(/[\s"'\\$&|;<>()*?[\]#~`!{}]/g, String.raw`\$&`) : rest;
}

/** The length of the part that bash treats as separate words. */
function wordBreakLength(typed: string, wordBreaks: string): number {
  return Math.max(0, ..."=:".split("").map((mark) => (wordBreaks.includes(mark) ? typed.lastIndexOf(mark) + 1 : 0)));
}
