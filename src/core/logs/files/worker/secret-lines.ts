import { TOKENS, isSecretName } from "../../../secrets/redact.ts";
import { NEWLINE, type Range, rangeAt } from "./log-file.ts";

/** Words that announce a secret in a log line, besides the mark of a parameter and a URL with a user. */
const ANNOUNCED =
  /password|passwd|passphrase|secret|token|credential|bearer|authorization|(?:api|access|private|signing)[-_]?key|private key-----|(?<![!-~])--?[\w-]{0,40}key/i;
const TOKEN = new RegExp(TOKENS.source);

/** False if neither a token nor a word shows that the line holds a secret. */
function mayHideMore(line: string): boolean {
  return ANNOUNCED.test(line) || TOKEN.test(line);
}

/**
 * Three characters of each text that {@link mayHideMore} finds, the rarer ones. Of tokens as they are written, of all
 * other texts in lower case.
 */
const PARTS = {
  tokens: [
    ..."eyJ k_l k_t whs hp_ ho_ hu_ hs_ hr_ b_p pm_ xox glp sk- SG. AKI ASI AIz dp. ks. ebh eap fei gta egr".split(" "),
    ...Array.from("0123456789abcdefABCDEF", (digit) => `0x${digit}`),
  ],
  words: "ssw sph cre tok bea riz key".split(" "),
} as const;

/** The lines that masking may change, some of them twice. Does not depend on the text that is searched. */
export type FindSecretLines = (bytes: Buffer) => readonly Range[];

export function createSecretLineFinder(known: readonly string[]): FindSecretLines {
  const linesWithKnown = createTextFinder(known);
  const announced = announcedTexts();
  return (bytes) => [...linesWithKnown(bytes), ...linesWithAnnounced(bytes, announced)];
}

const PART_BYTES = 4;
const TABLE_BITS = 18;

interface Part {
  readonly text: Uint8Array;
  /** Of the part in the text. */
  readonly offset: number;
}

/**
 * Looks at four bytes here and there, closer to each other than the shortest text is long. A pattern takes twice as
 * long for one text as this takes for hundreds.
 */
function createTextFinder(texts: readonly string[]): FindSecretLines {
  const all = texts.map((text) => Buffer.from(text)).filter(({ length }) => length >= PART_BYTES);
  if (all.length === 0) return () => [];
  const stride = Math.min(...all.map(({ length }) => length)) - PART_BYTES + 1;
  const parts = new Map<number, Part[]>();
  const isPart = new Uint8Array(2 ** TABLE_BITS);
  for (const text of all)
    for (let offset = 0; offset < stride; offset += 1) {
      const hash = hashAt(text, offset);
      isPart[hash] = 1;
      parts.set(hash, [...(parts.get(hash) ?? []), { text, offset }]);
    }
  return (bytes) => {
    const found: Range[] = [];
    for (let at = 0; at + PART_BYTES <= bytes.length;) {
      const hash = hashAt(bytes, at);
      if (isPart[hash] === 1 && parts.get(hash)?.some((part) => isIn(bytes, at, part)) === true) {
        const line = rangeAt(bytes, at);
        found.push(line);
        at = line.to + 1;
      } else at += stride;
    }
    return found;
  };
}

function isIn(bytes: Buffer, at: number, { text, offset }: Part): boolean {
  const from = at - offset;
  if (from < 0 || from + text.length > bytes.length) return false;
  for (let index = 0; index < text.length; index += 1) if (bytes[from + index] !== text[index]) return false;
  return true;
}

function hashAt(bytes: Uint8Array, at: number): number {
  const four = pairAt(bytes, at) | (pairAt(bytes, at + 2) << 16);
  return Math.imul(four, 0x9e3779b1) >>> (32 - TABLE_BITS);
}

const IN_PART = 1;
const WITH_MARK = 2;
const AT = "@".charCodeAt(0);
const PARAMETER_MARKS = new Set(Buffer.from("?&#"));

interface Announced {
  /** By two bytes, the first as the lower one. Of three bytes somewhere, two lie at an even place. */
  readonly kinds: Uint8Array;
  readonly parts: ReadonlySet<number>;
}

function announcedTexts(): Announced {
  const kinds = new Uint8Array(2 ** 16);
  const parts = [...PARTS.tokens, ...PARTS.words.flatMap(inAnyCase)].map((part) => Buffer.from(part));
  for (const part of parts) for (const at of [0, 1]) kinds[pairAt(part, at)] = IN_PART;
  for (const mark of [AT, ...PARAMETER_MARKS])
    for (let other = 0; other < 256; other += 1)
      for (const pair of [mark | (other << 8), other | (mark << 8)]) kinds[pair] = (kinds[pair] ?? 0) | WITH_MARK;
  return { kinds, parts: new Set(parts.map((part) => threeAt(part, 0))) };
}

function pairAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
}

function threeAt(bytes: Uint8Array, at: number): number {
  return pairAt(bytes, at) | ((bytes[at + 2] as number) << 16);
}

function inAnyCase(text: string): string[] {
  if (text === "") return [""];
  const letter = text.slice(0, 1);
  return inAnyCase(text.slice(1)).flatMap((rest) => [letter + rest, letter.toUpperCase() + rest]);
}

function linesWithAnnounced(bytes: Buffer, { kinds, parts }: Announced): Range[] {
  const found: Range[] = [];
  const text = bytes.toString("latin1");
  const isMarked = createMarkLook(bytes, text);
  let toldTo = -1;
  const isAnnounced = (at: number): boolean => {
    if (at <= toldTo || !(parts.has(threeAt(bytes, at - 1)) || parts.has(threeAt(bytes, at)))) return false;
    const { from, to } = rangeAt(bytes, at);
    toldTo = to;
    return mayHideMore(text.slice(from, to));
  };
  for (let at = 0; at + 1 < bytes.length; at += 2) {
    const kind = kinds[pairAt(bytes, at)] as number;
    if (kind === 0) continue;
    const isFound =
      ((kind & IN_PART) !== 0 && isAnnounced(at)) || ((kind & WITH_MARK) !== 0 && (isMarked(at) || isMarked(at + 1)));
    if (!isFound) continue;
    const line = rangeAt(bytes, bytes[at] === NEWLINE ? at + 1 : at);
    found.push(line);
    at = line.to + (line.to & 1) - 2;
  }
  return found;
}

/** Of a URL with a user, or of a parameter with the name of a secret. */
function createMarkLook(bytes: Buffer, text: string): (at: number) => boolean {
  const names = new Map<string, boolean>();
  let lookedTo = 0;
  const isUser = (at: number): boolean => {
    let from = at;
    while (from > lookedTo && !isSpace(bytes[from - 1] as number)) from -= 1;
    lookedTo = at;
    return USER_FOLLOWS.test(text.slice(from, at));
  };
  const isSecretParameter = (at: number): boolean => {
    let to = at + 1;
    while (to - at <= MAX_NAME_LENGTH && IS_OF_NAME[bytes[to] as number] === 1) to += 1;
    if (bytes[to] !== EQUALS) return false;
    const name = text.slice(at + 1, to);
    if (!names.has(name)) names.set(name, isSecretName(name));
    return names.get(name) === true;
  };
  return (at) => {
    const byte = bytes[at] as number;
    return byte === AT ? isUser(at) : PARAMETER_MARKS.has(byte) && isSecretParameter(at);
  };
}

const USER_FOLLOWS = /[a-z0-9]:[/\\]/i;
const EQUALS = "=".charCodeAt(0);
const MAX_NAME_LENGTH = 60;
const IS_OF_NAME = Uint8Array.from({ length: 256 }, (_, byte) => Number(/[\w.-]/.test(String.fromCharCode(byte))));

/** Of the bytes of UTF-8, these alone are always white space. */
function isSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
