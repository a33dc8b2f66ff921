import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, useMemo } from 'react';

type OnLink = (event: MouseEvent<HTMLAnchorElement>) => void;

/**
 * For the links of a long list: the router's own component computes each address again at every step, which hundreds
 * of them make felt. What else the browser does with a link, such as a new tab, is left to it.
 */
export function useRowLinks(): { onClick: OnLink; onMouseEnter: OnLink } {
  const router = useRouter();
  return useMemo(
    () => ({
      onClick: (event) => {
        const { button, metaKey, ctrlKey, shiftKey, altKey, currentTarget } = event;
        if (button !== 0 || metaKey || ctrlKey || shiftKey || altKey) return;
        event.preventDefault();
        router.history.push(currentTarget.pathname);
      },
      onMouseEnter: ({ currentTarget }) => {
        router.preloadRoute({ to: currentTarget.pathname }).catch(() => undefined);
      },
    }),
    [router],
  );
}
