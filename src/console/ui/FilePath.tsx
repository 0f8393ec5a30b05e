import type { JSX } from "preact";

/** A path whose last part, which tells it from its neighbours, stands out and is not broken where there is room. */
export function FilePath({ path }: { path: string }): JSX.Element {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  return (
    <code class="file-path">
      {path.slice(0, at)}
      <strong>{path.slice(at)}</strong>
    </code>
  );
}
