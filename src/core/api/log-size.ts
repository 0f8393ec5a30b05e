/** A larger compressed file could not be searched. */
export const LOG_SIZE = /^(?:[1-9]\d{2,3}K|[1-9]M|[1-5]\dM|60M)$/;
export const LOG_SIZE_WORDS = "a size from 100K to 60M, for example 50M";
export const MAX_KEPT_LOGS = 1000;
