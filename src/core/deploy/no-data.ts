/** Packages, caches and logs: an app, or its build, makes them again. @param name without the folders above it */
export function isNoData(name: string): boolean {
  return NAMES.test(name) || /^\.next\b|cache$/i.test(name);
}

const NAMES = /^(?:node_modules|\.git|\.svcm|\.cache|\.npm|__pycache__|logs?|tmp)$/;
