import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const css = readFileSync(new URL('../../../web/design/tokens.css', import.meta.url), 'utf8');

type Palette = Readonly<Record<string, string>>;

/** The colours of each block of the file: light, dark of the system, dark by choice. */
const palettes = css
  .split(/\n *color-scheme:/)
  .slice(1)
  .map(
    (block): Palette =>
      Object.fromEntries(
        [...block.matchAll(/--([\w-]+): (#[0-9a-f]{3,6});/g)].map(([, name, hex]) => [name, hex]),
      ),
  );
const [light = {}, dark = {}, chosen = {}] = palettes;

/** Relative luminance of WCAG 2. */
function luminance(hex: string): number {
  const full = hex.length === 4 ? hex.replace(/[0-9a-f]/g, '$&$&') : hex;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(full.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(palette: Palette, one: string, other: string): number {
  const [more = 0, less = 0] = [one, other]
    .map((name) => luminance(palette[name] ?? ''))
    .sort((a, b) => b - a);
  return (more + 0.05) / (less + 0.05);
}

test('the dark theme of the system is that of the choice', () => {
  expect(palettes).toHaveLength(3);
  expect(dark).toEqual(chosen);
});

test.each([
  ['light', light],
  ['dark', dark],
])('%s: edges of controls have 3:1 on every ground, and text 4.5:1', (_, palette) => {
  const grounds = ['bg', 'surface', 'raised'];
  expect(contrast(palette, 'ink', 'ink')).toBe(1);
  for (const ground of grounds) {
    expect(contrast(palette, 'edge', ground)).toBeGreaterThanOrEqual(3);
    for (const ink of ['ink', 'ink-2', 'ink-3', 'accent', 'critical', 'high', 'medium', 'low', 'good'])
      expect(contrast(palette, ink, ground)).toBeGreaterThanOrEqual(4.5);
  }
});
