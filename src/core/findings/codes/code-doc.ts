/** What `svcm explain` says about a code. A rule of the suite document brings its own, beside its check. */
export interface CodeDoc {
  /** What happened. */
  readonly summary: string;
  /** Why, or what svcm takes for right. */
  readonly explanation?: string;
  /** What to do about it: what to run, change or look at. */
  readonly remedy: string;
}

export type CodeDocs = Readonly<Record<string, CodeDoc>>;
