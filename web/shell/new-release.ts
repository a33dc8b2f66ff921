const MARK = 'reloaded';

/**
 * After an upgrade, an open tab asks for files of the former release, which are gone. The page then loads again, once:
 * the mark in its history entry survives the reload, and a second failure has another cause.
 */
export function reloadForNewRelease(): void {
  addEventListener('vite:preloadError', ({ payload }) => {
    // At the usual message the router loads the page again by itself, also without a connection.
    payload.message = 'A part of the page could not be loaded.';
    void reloadIfServed();
  });
}

/** Without a connection the page is kept: a reload would lose it. */
async function reloadIfServed(): Promise<void> {
  const state = (history.state ?? {}) as Record<string, unknown>;
  if (state[MARK] === true) return;
  const isServed = await fetch('/', { method: 'HEAD' }).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!isServed) return;
  history.replaceState({ ...state, [MARK]: true }, '');
  location.reload();
}
