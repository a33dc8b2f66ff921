import type { SourceItem } from '../connectors/connector.ts';
import type { ScanLeftOut } from '../kernel/vocabulary.ts';
import type { Only } from './narrowing-schema.ts';
import { isInside, matchesPath, parsePattern } from './path-pattern.ts';

/** What a scan leaves out, as it was when the scan started. */
export type Narrowing = {
  only: Only | null;
  rules: readonly { ruleId: string; pattern: string }[];
};

export const NOTHING_LEFT_OUT: Narrowing = { only: null, rules: [] };

/** Why an item is left out. */
export type LeftOut = { reason: ScanLeftOut; ruleId: string | null };

export type Placed = Pick<SourceItem, 'kind' | 'name' | 'sizeBytes' | 'modifiedAt'> & {
  /** Below the top of the scope. Null if it is not known yet: the item is then not left out because of it. */
  path: string | null;
};

/**
 * Why a narrowing leaves an item out, or null. What is not known of an item does not leave it out, and a folder that
 * cannot be read stays visible whatever the formats, sizes and ages.
 */
export function leavesOut({ only, rules }: Narrowing): (item: Placed) => LeftOut | null {
  const patterns = rules.flatMap(({ ruleId, pattern }) => {
    const parsed = parsePattern(pattern);
    return 'problem' in parsed ? [] : [{ ruleId, parsed }];
  });
  const endings = only?.formats?.map((format) => `.${format.toLowerCase()}`);
  const {
    minSizeBytes = 0,
    maxSizeBytes = Number.POSITIVE_INFINITY,
    modifiedAfter,
    modifiedBefore,
  } = only ?? {};
  const after = modifiedAfter === undefined ? Number.NEGATIVE_INFINITY : Date.parse(modifiedAfter);
  const before = modifiedBefore === undefined ? Number.POSITIVE_INFINITY : Date.parse(modifiedBefore);

  return ({ path, kind, name, sizeBytes, modifiedAt }) => {
    if (path !== null) {
      const rule = patterns.find(({ parsed }) => matchesPath(parsed, path));
      if (rule !== undefined) return { reason: 'rule', ruleId: rule.ruleId };
      if (only?.folders?.some((folder) => isInside(folder, path)) === false) return without('folder');
    }
    if (kind === 'folder') return null;
    if (endings?.some((ending) => name.toLowerCase().endsWith(ending)) === false) return without('format');
    if (sizeBytes < minSizeBytes || sizeBytes > maxSizeBytes) return without('size');
    if (modifiedAt === null) return null;
    const at = Date.parse(modifiedAt);
    return at <= after || at >= before ? without('age') : null;
  };
}

const without = (reason: ScanLeftOut): LeftOut => ({ reason, ruleId: null });
