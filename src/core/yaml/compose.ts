import { Composer, Lexer, Parser, type Document, type LineCounter, type ParseOptions } from "yaml";

type Options = ConstructorParameters<typeof Composer>[0] & ParseOptions & { readonly lineCounter: LineCounter };

/** What a text holds, as far as it was read. */
export interface Composed {
  /** The first document, and the second where there is one. */
  readonly documents: readonly Document.Parsed[];
  /** Where too much is open within each other; nothing behind it was read. */
  readonly tooDeep: number | undefined;
}

/** More than any document needs that is not too deep; whose exact depth is told when it is walked. */
const MOST_OPEN = 100;

/** The library's `parseAllDocuments`, stopping where going on would cost a hostile text's author nothing and us much. */
export function composeDocuments(text: string, options: Options): Composed {
  const documents: Document.Parsed[] = [];
  let tooDeep: number | undefined;
  const stopAt = (offset: number, open: number): boolean => {
    if (open > MOST_OPEN) tooDeep = offset;
    return open > MOST_OPEN;
  };
  withoutStackTraces(() => {
    for (const document of new Composer(options).compose(tokensOf(text, options.lineCounter, stopAt))) {
      documents.push(document);
      if (documents.length === 2) break;
    }
  });
  return { documents, tooDeep };
}

function* tokensOf(text: string, lineCounter: LineCounter, stopAt: (offset: number, depth: number) => boolean) {
  lineCounter.addNewLine(0);
  const parser = new Parser(lineCounter.addNewLine);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // What is open is only built when it closes, by a call within a call for each level.
    if (stopAt(parser.offset, parser.stack.length)) return;
  }
  yield* parser.end();
}

/** The library makes an Error for each fault of a text, and most of its cost is a stack that nobody looks at. */
function withoutStackTraces(run: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
