import { Fragment, type JSX } from "preact";

/** A list of names, of which each stays on one line, also one with a hyphen. */
export function Names({ of, end = "" }: { of: readonly string[]; end?: string }): JSX.Element {
  return (
    <>
      {of.map((name, at) => (
        <Fragment key={name}>
          <span class="whole">
            <bdi>{name}</bdi>
            {at < of.length - 1 ? "," : end}
          </span>{" "}
        </Fragment>
      ))}
    </>
  );
}
