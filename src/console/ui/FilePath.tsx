import type { JSX } from "preact";

export function FilePath({ path }: { path: string }): JSX.Element {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return (
    <code class="file-path">
      {path.slice(0, at)}
      <strong>{path.slice(at)}</strong>
    </code>
  );
}
