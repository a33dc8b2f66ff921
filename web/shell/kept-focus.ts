import { type RefObject, useEffect } from 'react';

/** What has a heading of its own. */
const PARTS = 'article, section, [role="dialog"], main';

/**
 * Keeps the place of people who use the keyboard. A button that has done its work is often gone, or disabled meanwhile,
 * and the browser then puts the focus to the beginning of the page. It goes back to the button if that is there again,
 * and to the heading of the part that it was in if not.
 */
export function useKeptFocus(within: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const content = within.current;
    if (content === null) return;
    let last: HTMLElement | null = null;
    let parts: Element[] = [];
    const remember = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      last = target;
      parts = [];
      for (let at = target.closest(PARTS); at !== null; at = at.parentElement?.closest(PARTS) ?? null) {
        parts.push(at);
      }
    };
    const forget = () => {
      last = null;
    };
    const observer = new MutationObserver(() => {
      if (last === null || (document.activeElement !== document.body && document.activeElement !== null))
        return;
      if (last.isConnected) {
        if (!last.matches(':disabled')) last.focus({ preventScroll: true });
        return;
      }
      const part = parts.find((each) => each.isConnected) ?? content;
      const headings = [...part.querySelectorAll<HTMLElement>('h1, h2, h3')];
      const seen = headings.filter((each) => each.checkVisibility());
      const heading = seen.find(({ tagName }) => tagName === 'H1') ?? seen[0] ?? content;
      if (!heading.hasAttribute('tabindex')) heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
    });
    content.addEventListener('focusin', remember);
    // A click beside everything puts the focus away on purpose.
    document.addEventListener('pointerdown', forget, true);
    observer.observe(content, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    return () => {
      content.removeEventListener('focusin', remember);
      document.removeEventListener('pointerdown', forget, true);
      observer.disconnect();
    };
  }, [within]);
}
