/** The page's style sheet. Both themes come from the system; nothing is loaded from elsewhere. */
export const style = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f4f5f7, #0d0e12);
  --surface: light-dark(#ffffff, #14171e);
  --line: light-dark(#e1e4ea, #2a2e38);
  --text: light-dark(#14161c, #eceef4);
  --muted: light-dark(#565d6d, #9ba2b2);
  --accent: light-dark(#2f50d0, #90a6ff);
  --write: light-dark(#8a5200, #f0b357);
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
*, ::before, ::after { box-sizing: border-box; }
body {
  margin: 0 auto;
  max-width: 54rem;
  padding: clamp(1.5rem, 6vw, 4rem) clamp(1rem, 4vw, 2rem) 3rem;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Inter, Roboto, sans-serif;
  text-wrap: pretty;
}
header { display: flex; align-items: center; gap: 1rem; }
header img { display: block; }
h1 { margin: 0; font-size: 1.5rem; line-height: 1.2; letter-spacing: -0.015em; }
h2 { margin: 0 0 0.75rem; font-size: 1.0625rem; line-height: 1.3; }
p { margin: 0; }
header p { color: var(--muted); font: 0.875rem/1.4 var(--mono); }
.lead { margin: 1.75rem 0 2rem; max-width: 46rem; font-size: 1.125rem; }
section { margin-top: 2rem; }
code, pre { font-family: var(--mono); font-size: 0.875rem; }
.routes, pre { margin: 0; border: 1px solid var(--line); border-radius: 0.75rem; background: var(--surface); }
.routes { padding: 0; list-style: none; }
.routes li {
  display: grid;
  grid-template-columns: minmax(0, 24rem) minmax(0, 1fr);
  gap: 0.125rem 1.5rem;
  align-items: baseline;
  padding: 0.6875rem 1rem;
}
.routes li + li { border-top: 1px solid var(--line); }
.routes code { display: grid; grid-template-columns: 3rem minmax(0, 1fr); gap: 0.5rem; }
.path { overflow-wrap: anywhere; }
.query { display: inline-block; color: var(--muted); }
.summary { color: var(--muted); font-size: 0.9375rem; }
.method { color: var(--muted); font-weight: 600; }
.method.post { color: var(--write); }
.note { margin-top: 0.75rem; color: var(--muted); font-size: 0.9375rem; }
pre { margin-top: 0.75rem; padding: 0.875rem 1rem; overflow-x: auto; line-height: 1.7; }
a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 0.25rem; }
@media (max-width: 44rem) {
  .routes li { grid-template-columns: minmax(0, 1fr); }
  .summary { padding-left: 3.5rem; }
}
`;
