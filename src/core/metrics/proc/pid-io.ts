/** Traffic with the storage, of `/proc/<pid>/io`. `rchar` and `wchar` count caches and pipes, too. @see proc_pid_io(5) */
export function parsePidIo(text: string): { readBytes: number; writeBytes: number } | undefined {
  const read = /^read_bytes: (\d+)$/m.exec(text);
  const written = /^write_bytes: (\d+)$/m.exec(text);
  if (read === null || written === null) return undefined;
  return { readBytes: Number(read[1]), writeBytes: Number(written[1]) };
}
