export interface WordRule {
  readonly pattern: RegExp;
  readonly instead: string;
}

export const WORD_RULES: readonly WordRule[] = [
  { pattern: /\b(?:tell(?! whether\b)|tells|told|telling)\b/gi, instead: "returns, reports, shows, says" },
  { pattern: /\b(?:stands?(?! for\b| alone\b|-alone\b| out\b)|stood)\b/gi, instead: "is, is written, comes" },
  { pattern: /\b(?:anew|afresh)\b/gi, instead: "again" },
  { pattern: /\bdear(?:er|est|ly)?\b/gi, instead: "expensive, slow" },
  { pattern: /\b(?:nobody|no one)\b/gi, instead: "nothing, no process, or name who does not" },
  { pattern: /\beverybody\b/gi, instead: "every user, every client" },
  { pattern: /\b(?:a|the|no|every) person\b/gi, instead: "a user, the user" },
  { pattern: /\bfaces?\b/gi, instead: "front end, or the command line and HTTP" },
  { pattern: /\b(?:whoever|whomever)\b/gi, instead: "the caller that, a user who, if you" },
  { pattern: /\b(?:somebody|someone|anybody|anyone)\b/gi, instead: "a user, a process, another program" },
  { pattern: /\b(?<!\bthere )(?:is|are|was|were|be|has|have) none\b/gi, instead: "is missing, is not a" },
  {
    pattern: /(?<!\bthere )\b(?:is|are|was|were|be) no\b(?! longer\b| more\b| less\b| different\b| better\b)/gi,
    instead: "is not a, has no",
  },
  { pattern: /\b(?:is|are|was|were) not one of\b/gi, instead: "is not, is not an accepted" },
  { pattern: /\bnot an? (?:\w+ )?either\b/gi, instead: "neither … nor" },
  { pattern: /\bfor ever\b/gi, instead: "forever, without end" },
  { pattern: /\bso as to\b/gi, instead: "to" },
  { pattern: /\bso long\b(?! as\b)/gi, instead: "as long as, until" },
  { pattern: /\b(?:there|here|where)(?:of|in|by|upon|with|from|to)\b(?<!\bthereby)/gi, instead: "of it, in it, by it" },
  {
    pattern: /\b(?:hence|whence|thence|thereby|hitherto|lest|albeit|ere|nought|naught|thus)\b/gi,
    instead: "so, from, until, or two sentences",
  },
  { pattern: /\b(?:shall|ought)\b/gi, instead: "must, does, is" },
  { pattern: /\b(?:mend|mends|mended|mending)\b/gi, instead: "fix, fixes, fixed" },
  { pattern: /\bof (?:its|their|our|his|one's) own\b/gi, instead: "its own, a separate" },
  { pattern: /\b(?:it|they) (?:is|are|was|were) asked\b/gi, instead: "name who asks: svcm asks it" },
  { pattern: /\b(?:is|are|was|were|been) asked for\b/gi, instead: "requested, given, named" },
  { pattern: /\bbut for\b/gi, instead: "except for, apart from" },
  { pattern: /\band no (?:other|more)\b/gi, instead: "only" },
  { pattern: /\bno \w+(?: \w+)? else\b/gi, instead: "no other …, only" },
  { pattern: /\ball else\b/gi, instead: "everything else" },
  { pattern: /, since\b(?! (?:v?\d|version|then))/gi, instead: "because" },
  { pattern: /\bso that\b.*\bso that\b/gi, instead: "one 'so that', or two sentences" },
  { pattern: /\b(?:gives?|given|gave|giving)(?: it| them)? back\b/gi, instead: "returns" },
  { pattern: /\bin vain\b/gi, instead: "without success" },
  { pattern: /\b(?:may|be) it\b(?! [a-z]+ing\b)/gi, instead: "if it, whether it" },
  { pattern: /\b(?:he|him|his|himself)\b/gi, instead: "they, the user, the process" },
];

/** Parts of identifiers, for example `asked` in `isAsked`. */
export const NAME_RULES: readonly WordRule[] = [
  { pattern: /^(?:un)?asked$/i, instead: "request, query or options" },
  { pattern: /^heard$/i, instead: "received" },
  { pattern: /^(?:un)?said$/i, instead: "reported, stated or message" },
  { pattern: /^(?:MOST|LONGEST)$/, instead: "MAX" },
  { pattern: /^(?:LEAST|SHORTEST)$/, instead: "MIN" },
];

/** Sentences that are good English although a rule matches. */
export interface ProperUse {
  /** The end of the path. */
  readonly file: string;
  /** A part of the sentence. */
  readonly text: string;
  readonly reason: string;
}

export const PROPER_USES: readonly ProperUse[] = [
  { file: "CONTRIBUTING.md", text: "A mock of our own module", reason: "The module is ours; the mock replaces it." },
];

/** A comment or sentence must not begin with one of these words, because its subject would come last. */
export const FORBIDDEN_OPENING = /^(?:What|Whatever|Who|Whose|Whoever|Whether|Where|Wherever|How|Which)\b/;

/** The maximum number of words in a sentence. */
export const MAX_WORDS = { docs: 35, code: 30 };
