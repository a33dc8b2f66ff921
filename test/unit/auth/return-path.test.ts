import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isReturnPath } from '../../../core/auth/return-path.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** Where a browser may be when the service sends it on. */
const PAGES = [
  'https://governance.example.test/',
  'https://governance.example.test/api/auth/idp/callback?code=a&state=b',
  'https://governance.example.test//api//auth/../auth/idp/callback',
  'https://governance.example.test/a;b/c:d/@e/?//evil.test#//evil.test',
  'http://127.0.0.1:7071/api/auth/idp/callback',
  'http://[::1]:7071/api/auth/idp/callback',
];

/** What browsers and parsers read in special ways, among ordinary parts of paths. */
const piece = fc.oneof(
  fc.constantFrom(
    ...['/', '//', '\\', '/\\', '.', '..', './', '../', '%2f', '%2F%2F', '%5c', '%2e', '%2e%2e/', '%00'],
    ...['\t', '\n', '\r', '\0', ' ', '\u00a0', '\u2028', '\ufeff', '\u00ad', '\uff0f', '\u3002', '\ud800'],
    ...['@', ':', ':80', ':@', '?', '#', ';', ',', '&', '=', '*', '|', '^', '[', ']', '[::1]'],
    ...['http:', 'https:', 'HTTPS:', 'javascript:', 'data:', 'file:', 'evil.test', 'a', 'api', 'docs'],
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
  fc.webUrl(),
);
const value = fc
  .tuple(fc.constantFrom('', '/', '/', '/', '/a'), fc.array(piece, { maxLength: 8 }))
  .map(([start, pieces]) => start + pieces.join(''));

describe('what is accepted', () => {
  test('stays on the origin of every page of the service', () => {
    let accepted = 0;
    fc.assert(
      fc.property(value, (path) => {
        if (!isReturnPath(path)) return;
        accepted++;
        for (const page of PAGES) {
          const target = new URL(path, page);
          expect({ path, origin: target.origin }).toEqual({ path, origin: new URL(page).origin });
          expect({ user: target.username, password: target.password }).toEqual({ user: '', password: '' });
        }
      }),
      { numRuns: propertyRuns(20_000) },
    );
    // A property of nothing would hold as well.
    expect(accepted).toBeGreaterThan(200);
  });

  test('is one line of a header', () => {
    fc.assert(
      fc.property(value, (path) => {
        if (isReturnPath(path)) expect(path).toMatch(/^\/[!-~]*$/);
      }),
      { numRuns: propertyRuns(5_000) },
    );
  });

  test('is any path that a browser itself would show', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (address) => {
        const { pathname, search, hash } = new URL(address);
        fc.pre(!pathname.startsWith('//'));
        expect(isReturnPath(pathname + search + hash)).toBe(true);
      }),
    );
  });

  test.each(['/', '/api/docs', '/api/docs?a=b#c', '/?returnTo=https://evil.test/', '/a//b', '/@evil.test'])(
    'may be %s',
    (path) => {
      expect(isReturnPath(path)).toBe(true);
    },
  );

  test('has at most 2,048 characters', () => {
    expect(isReturnPath(`/${'a'.repeat(2_047)}`)).toBe(true);
    expect(isReturnPath(`/${'a'.repeat(2_048)}`)).toBe(false);
  });
});

test.each([
  ...['', 'api/docs', '//evil.test', '///evil.test', '/\\evil.test', '\\\\evil.test', '/\t/evil.test'],
  ...['https://evil.test/', 'javascript:alert(1)', ' /', '/ ', '/\r\nset-cookie: a=b', '/é', '/\ud800', '?a'],
])('%j is refused', (path) => {
  expect(isReturnPath(path)).toBe(false);
});
