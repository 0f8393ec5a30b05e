import type { JSX } from "preact";

export function Pairs({ pairs }: { pairs: readonly (readonly [name: string, value: string])[] }): JSX.Element {
  return (
    <dl class="pairs">
      {pairs.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
