/** Files that root writes for another user, for code that cannot wait. @see `inheritOwner` */
import {
  chownSync,
  closeSync,
  fchownSync,
  fstatSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;

/** Each new folder belongs to the owner of the one above it. */
export function makePrivateFolder(folder: string): void {
  const topmost = mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  if (topmost === undefined || process.getuid?.() !== 0) return;
  const created: string[] = [];
  for (let path = folder; path.length >= topmost.length; path = dirname(path)) created.unshift(path);
  for (const path of created) {
    const { uid, gid } = statSync(dirname(path));
    if (uid !== 0) chownSync(path, uid, gid);
  }
}

/** A new file, which belongs to the owner of its folder. A link of that name is never followed. */
export function createPrivateFile(path: string, content: string | Uint8Array): void {
  rmSync(path, { force: true });
  const fd = openSync(path, "wx", PRIVATE_FILE);
  try {
    inheritOwnerNow(fd, path);
    writeFileSync(fd, content);
  } finally {
    closeSync(fd);
  }
}

export function inheritOwnerNow(fd: number, path: string): void {
  if (process.getuid?.() !== 0) return;
  const [folder, file] = [statSync(dirname(path)), fstatSync(fd)];
  if (folder.uid !== 0 && file.nlink === 1) fchownSync(fd, folder.uid, folder.gid);
}

/** With everything below it, to the owner of the folder above. */
export function inheritOwnerBelow(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  if (uid !== 0) chownBelow(path, uid, gid);
}

function chownBelow(path: string, uid: number, gid: number): void {
  lchownSync(path, uid, gid);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) chownBelow(join(path, name), uid, gid);
}
