/**
 * PM2's daemon treats a failed write of pm2.log as its own defect: it runs `pm2 update`, which ends every app. A file system
 * gives space in blocks of this size.
 */
export const MIN_PM2_LOG_SPACE = 4096;
