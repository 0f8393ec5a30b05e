/** There, a user types the name of the environment or of the app before a change. */
export const isProductionName = (environment: string): boolean => /^prod/i.test(environment);
