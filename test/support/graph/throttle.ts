/** A fixed rate: `perSecond` calls, of which `burst` may come at once. */
export type Throttling = { perSecond: number; burst?: number; retryAfter?: 'seconds' | 'date' | 'none' };

/** Lets calls of a tenant through at a fixed rate. */
export function throttle(clock: () => number) {
  let rule: Throttling | null = null;
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    set(next: Throttling | null): void {
      rule = next;
      buckets.clear();
    },
    /** Null: it passes. Else what a refusal says of when to come back. */
    refuse(tenantId: string): { retryAfter: number | { dateIn: number } | null } | null {
      if (rule === null) return null;
      const { perSecond, burst = perSecond, retryAfter = 'seconds' } = rule;
      const now = clock();
      const bucket = buckets.get(tenantId) ?? { tokens: burst, at: now };
      const tokens = Math.min(burst, bucket.tokens + ((now - bucket.at) / 1000) * perSecond);
      const passes = tokens >= 1;
      buckets.set(tenantId, { tokens: passes ? tokens - 1 : tokens, at: now });
      if (passes) return null;
      const seconds = Math.max(1, Math.ceil((1 - tokens) / perSecond));
      if (retryAfter === 'none') return { retryAfter: null };
      return { retryAfter: retryAfter === 'date' ? { dateIn: seconds } : seconds };
    },
  };
}
