/** The guides whose commands are those of a team's own repository, after `svcm init`. */
export const SHOP_PAGES: ReadonlySet<string> = new Set(
  ["env-files", "events", "history", "logs", "metrics", "pm2"].map((page) => `docs/how-to/${page}.md`),
);
