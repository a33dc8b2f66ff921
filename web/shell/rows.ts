import type { RouterHistory } from '@tanstack/react-router';
import { startTransition, useEffect, useMemo, useState } from 'react';

/** More rows than a screen has room for. */
const AT_ONCE = 30;

/** Whether the last step was one through the history of the browser. */
let isReturn = false;
export const watchReturns = ({ subscribe }: RouterHistory): void => {
  subscribe(({ action: { type } }) => {
    isReturn = type !== 'PUSH' && type !== 'REPLACE';
  });
};

/**
 * The rows of a long list. Those in sight are there at once, and the others after they are painted: two hundred take
 * longer than a person waits. Who goes back to a list finds all of them, because the page returns to its place there.
 * @param list names what is listed. Another list begins with its first rows again.
 * @param isRead whether these are the items of that list, and not of the one before
 */
export function useRows<T>(items: readonly T[], list: string, isRead: boolean): readonly T[] {
  const [whole, setWhole] = useState(() => (isReturn ? list : null));
  useEffect(() => {
    if (isRead) startTransition(() => setWhole(list));
  }, [list, isRead]);
  const isWhole = whole === list || !isRead;
  return useMemo(() => (isWhole ? items : items.slice(0, AT_ONCE)), [items, isWhole]);
}
