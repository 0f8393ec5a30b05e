import { dirname } from "node:path";
import { createFolder } from "./files/folder.ts";
import { attempting } from "./files/file-error.ts";
import { withLog } from "./files/log.ts";
import { fileLocks } from "./files/lock.ts";
import { putInPlace, writeNew } from "./files/write.ts";
import { read } from "./files/system.ts";

const PRIVATE_FILE = 0o600;
const LOCK_MS = 5_000;
const MOST_BYTES = 64 * 2 ** 20;

/** Several processes of the machine may change it, one at a time. */
export interface DeliveryFile {
  /** When the promise of `save` resolves, the new text is on disk. @throws {FileError} ELOCKED or the system's code */
  change<T>(work: (text: string | undefined, save: (text: string) => Promise<void>) => Promise<T>): Promise<T>;
}

export function deliveryFile(path: string): DeliveryFile {
  const locks = fileLocks({ timeoutMs: LOCK_MS });
  return {
    async change(work) {
      await attempting("write", path, () => createFolder(dirname(path)));
      return await locks.hold({ target: path, path }, async (nonce) => {
        const save = async (text: string): Promise<void> => {
          const write = (temporary: string): Promise<void> => writeNew(temporary, Buffer.from(text), PRIVATE_FILE);
          await putInPlace({ target: path, path, nonce }, write, () => true);
        };
        return await work(await readStored(path), save);
      });
    },
  };
}

async function readStored(path: string): Promise<string | undefined> {
  return await withLog(path, async ({ fd, size }) => {
    const bytes = Buffer.alloc(Math.min(size, MOST_BYTES));
    const length = await read(fd, bytes, 0);
    return bytes.toString("utf8", 0, length);
  });
}
