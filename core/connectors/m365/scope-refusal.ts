import type { ScopeRefusal } from '../../kernel/vocabulary.ts';

/**
 * The statuses with which Graph refuses a site or a library, whatever is asked of it: 400 for an id that cannot be one,
 * 423 for a site that is locked or archived.
 */
export const REFUSED = [400, 403, 404, 410, 423] as const;

export function scopeRefusalOf(status: (typeof REFUSED)[number]): ScopeRefusal {
  switch (status) {
    case 400:
      return 'malformed_id';
    case 403:
      return 'denied';
    case 404:
    case 410:
      return 'not_found';
    case 423:
      return 'locked';
  }
}
