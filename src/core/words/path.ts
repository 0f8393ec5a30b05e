export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function relativePath(folder: string, path: string): string {
  if (folder === "") return path;
  const [from, to] = [folder.split("/"), path === "." ? [] : path.split("/")];
  let common = 0;
  while (common < from.length && from[common] === to[common]) common += 1;
  return [...from.slice(common).map(() => ".."), ...to.slice(common)].join("/") || ".";
}
