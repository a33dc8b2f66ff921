import { stored } from './stored.ts';

export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** The remembered theme; `system` follows the preference of the system. */
export const theme = stored<Theme>('theme', 'system', (text) => THEMES.find((each) => each === text));

/** Applies the theme now and at each change. */
export function applyTheme(): void {
  const apply = () => {
    const chosen = theme.get();
    if (chosen === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
  };
  theme.subscribe(apply);
  apply();
}
