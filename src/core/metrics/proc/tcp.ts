export interface ListeningSocket {
  readonly address: string;
  readonly port: number;
  /** Connections that the process has not accepted yet. */
  readonly waiting: number;
}

const LISTENS = "0A";

/** The listening sockets of `/proc/net/tcp` or `tcp6`, by inode. */
export function parseTcpTable(text: string): [inode: string, socket: ListeningSocket][] {
  return text
    .split("\n")
    .slice(1)
    .flatMap((line): [string, ListeningSocket][] => {
      const { 1: local = "", 3: state, 4: queues = "", 9: inode } = line.trim().split(/\s+/);
      const [host = "", port = ""] = local.split(":");
      if (state !== LISTENS || inode === undefined) return [];
      const waiting = Number.parseInt(queues.split(":")[1] ?? "0", 16);
      return [[inode, { address: addressOf(host), port: Number.parseInt(port, 16), waiting }]];
    });
}

/** Words of 32 bits, each in the byte order of the machine, which is little-endian. */
function addressOf(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) => (word.match(/../g) ?? []).toReversed());
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join(".");
  const text = bytes.join("").toLowerCase();
  if (/^0{32}$/.test(text)) return "::";
  if (/^0{31}1$/.test(text)) return "::1";
  return (text.match(/.{4}/g) ?? []).map((group) => group.replace(/^0{1,3}/, "")).join(":");
}
