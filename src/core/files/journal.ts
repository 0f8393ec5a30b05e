/** Journals: an event a line, only ever appended. */
import { open } from "node:fs/promises";

export async function appendEvent(path: string, event: object): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    await file.appendFile(`${JSON.stringify(event)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Without a line that a crash has torn. */
export function parseEvents<Event>(text: string): Event[] {
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Event];
    } catch {
      return [];
    }
  });
}
