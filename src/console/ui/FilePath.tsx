import type { JSX } from "preact";

/** A path with its last part emphasized, on one line if there is room. */
export function FilePath({ path }: { path: string }): JSX.Element {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return (
    <code class="file-path">
      {path.slice(0, at)}
      <strong>{path.slice(at)}</strong>
    </code>
  );
}
