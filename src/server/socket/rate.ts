export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

export function rateLimiter({ perSecond, burst }: Rate): () => boolean {
  let left = burst;
  let last = performance.now();
  return () => {
    const at = performance.now();
    left = Math.min(burst, left + ((at - last) / 1000) * perSecond);
    last = at;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
