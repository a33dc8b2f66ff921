import { expect, test } from 'vitest';
import { nextPageToken, placeOf } from '../../../core/connectors/page-token.ts';

/** Walks over markers that a service gives one after another, until the walk ends or fails. */
function walk(markers: readonly (string | null)[]): number {
  let token: string | null = null;
  let pages = 0;
  for (const marker of markers) {
    token = nextPageToken('reports', placeOf('reports', token), marker, 'marker_repeated');
    pages++;
    if (token === null) break;
    expect(placeOf('reports', token)?.marker).toBe(marker);
  }
  return pages;
}

test('a walk ends with the page that has no marker', () => {
  expect(walk(['a', 'b', 'c', null, 'never'])).toBe(4);
});

test.each([1, 2, 3, 7])('markers that come round after %i pages are a failure', (length) => {
  const loop = Array.from({ length: 50 }, (_, page) => `marker ${page % length}`);
  expect(() => walk(loop)).toThrow('marker_repeated');
  const later = ['x', 'y', ...loop];
  expect(() => walk(later)).toThrow('marker_repeated');
});

test('a long walk with different markers is none', () => {
  expect(walk([...Array.from({ length: 500 }, (_, page) => `marker ${page}`), null])).toBe(501);
});

test('a token of another container, or of nobody, is refused', () => {
  const token = nextPageToken('reports', null, 'a', 'marker_repeated');
  for (const given of [token, 'nonsense', '', '.', `${token}x`])
    expect(() => placeOf('contracts', given)).toThrow('page_token_invalid');
});
