/** XML 1.0 cannot hold these characters, even as references. */
const FORBIDDEN = /(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu;
const REFERENCES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;",
};

/** These characters need no escape. A report can have half a million names. */
const PLAIN = /^[\w ./:-]*$/;

/** Replaces characters that XML cannot hold with U+FFFD. */
export function escapeText(text: string): string {
  return clean(text).replaceAll(/[&<>\r]/g, reference);
}

/** Children and text are already XML. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ""): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeAttribute(`${value}`)}"`);
  return content === "" ? `<${name}${written.join("")}/>` : `<${name}${written.join("")}>${content}</${name}>`;
}

export function escapeAttribute(text: string): string {
  return PLAIN.test(text) ? text : clean(text).replaceAll(/[&<>"\t\n\r]/g, reference);
}

function clean(text: string): string {
  return text.toWellFormed().replaceAll(FORBIDDEN, "\uFFFD");
}

function reference(character: string): string {
  return REFERENCES[character] ?? character;
}
