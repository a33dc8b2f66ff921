const MARK = 'reloaded';

/**
 * After an upgrade, an open tab asks for files of the former release, which are gone. The page then loads again, once:
 * the mark in its history entry survives the reload, and a second failure has another cause.
 */
export function reloadForNewRelease(): void {
  addEventListener('vite:preloadError', (event) => {
    const state = (history.state ?? {}) as Record<string, unknown>;
    if (state[MARK] === true) return;
    event.preventDefault();
    history.replaceState({ ...state, [MARK]: true }, '');
    location.reload();
  });
}
