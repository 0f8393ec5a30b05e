import { Composer, Lexer, Parser, type Document, type LineCounter, type ParseOptions } from "yaml";

type Options = ConstructorParameters<typeof Composer>[0] & ParseOptions & { readonly lineCounter: LineCounter };

export interface Composed {
  readonly documents: readonly Document.Parsed[];
  /** The rest is not read. */
  readonly tooDeep: number | undefined;
}

/** A later step checks the exact limit. */
const MOST_OPEN = 100;

/** The library's `parseAllDocuments` does not stop early at hostile text. */
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
    // The library closes open collections recursively.
    if (stopAt(parser.offset, parser.stack.length)) return;
  }
  yield* parser.end();
}

/** Stack traces cause most of the cost of the library's errors. */
function withoutStackTraces(run: () => void): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
