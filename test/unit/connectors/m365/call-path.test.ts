import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ALLOWED_CALLS, type AllowedCall } from '../../../../core/connectors/m365/allowed-calls.ts';
import { callPath, isPathOf } from '../../../../core/connectors/m365/call-path.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const ORIGIN = 'https://graph.microsoft.com';
const names = Object.keys(ALLOWED_CALLS) as AllowedCall[];
const keysOf = (name: AllowedCall) =>
  [...ALLOWED_CALLS[name].path.matchAll(/\{(\w+)(?:\.\.\.)?\}/g)].map(([, key = '']) => key);
const refusedAs = (name: string) =>
  expect.objectContaining({ safeDiagnostic: `graph_${name}_value_refused`, retryClass: 'permanent' });

test('ids of Graph make the documented paths', () => {
  const item = {
    driveId: 'b!-RIj2DuyvEyV1T4NlOaMHk8XkS_I8MdFlUCq1BlcjgmhRfAj3-Z8RY2VpuvV_tpd',
    itemId: '01BYE5RZ',
  };
  expect(callPath('permissions', item)).toBe(
    '/v1.0/drives/b!-RIj2DuyvEyV1T4NlOaMHk8XkS_I8MdFlUCq1BlcjgmhRfAj3-Z8RY2VpuvV_tpd/items/01BYE5RZ/permissions',
  );
  expect(callPath('site', { siteId: 'contoso.sharepoint.com,bf6f,65a0' })).toBe(
    '/v1.0/sites/contoso.sharepoint.com%2Cbf6f%2C65a0',
  );
  expect(callPath('site_by_path', { host: 'contoso.sharepoint.com', sitePath: 'sites/Finanzen & Ä' })).toBe(
    '/v1.0/sites/contoso.sharepoint.com:/sites/Finanzen%20%26%20%C3%84',
  );
});

test('query values are encoded, and other names of parameters are refused', () => {
  expect(callPath('users', {}, { $search: '"displayName:a&b"', $top: 5 })).toBe(
    '/v1.0/users?$search=%22displayName%3Aa%26b%22&$top=5',
  );
  const other = { $format: 'atom' } as object;
  expect(() => callPath('users', {}, other)).toThrow(refusedAs('users'));
});

test.each(['', '.', '..', 'a\u0000b', 'a\r\nHost: x', 'a\tb', '\ud800', 'x'.repeat(4097)])(
  'a value that is no id is refused: %j',
  (value) => {
    expect(() => callPath('delta', { driveId: value })).toThrow(refusedAs('delta'));
  },
);

test('every allowed call is made by the connector', () => {
  const folder = path.resolve(import.meta.dirname, '../../../../core/connectors');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && path.basename(file) !== 'allowed-calls.ts')
    .map((file) => readFileSync(path.join(folder, file), 'utf8'))
    .join('');
  expect(names.filter((name) => !sources.includes(`'${name}'`))).toEqual([]);
});

test('a missing value is refused, also one that is inherited', () => {
  expect(() => callPath('delta', {})).toThrow(refusedAs('delta'));
  expect(() => callPath('delta', Object.create({ driveId: 'x' }))).toThrow(refusedAs('delta'));
});

test.each(['sites//x', 'sites/../x', '/sites', 'sites/', 'sites/./x'])(
  'no site has the path %j',
  (sitePath) => {
    expect(() => callPath('site_by_path', { host: 'h', sitePath })).toThrow(refusedAs('site_by_path'));
  },
);

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom(
    '../x',
    '..\\x',
    '%2e%2e',
    '%2E%2E%2F',
    'a/b',
    'a\\b',
    "a')/owners('",
    'a?b',
    'a#b',
    'a;b',
    '@x',
    '//x',
    'a:b',
  ),
);

test('whatever the values, the path is the one of the call, or it is refused', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      fc.array(hostile, { minLength: 3, maxLength: 3 }),
      (name, texts) => {
        const keys = keysOf(name);
        const values = Object.fromEntries(keys.map((key, at) => [key, texts[at] ?? '']));
        let path: string;
        try {
          path = callPath(name, values);
        } catch (error) {
          expect(error).toEqual(refusedAs(name));
          return;
        }
        const url = new URL(path, ORIGIN);
        expect(url.origin).toBe(ORIGIN);
        expect(url.search + url.hash + url.username).toBe('');
        // Nothing was taken as a separator, and no parser takes a segment away.
        expect(url.pathname).toBe(path);
        const slashes = (text: string) => text.split('/').length;
        const added = name === 'site_by_path' ? slashes(values.sitePath ?? '') - 1 : 0;
        expect(slashes(path)).toBe(slashes(`/v1.0/${ALLOWED_CALLS[name].path}`) + added);
        expect(isPathOf(name, values, url.pathname)).toBe(true);
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

test('a path of one call is one of no other that has another shape', () => {
  for (const name of names) {
    const values = Object.fromEntries(keysOf(name).map((key) => [key, `the-${key}`]));
    const { pathname } = new URL(callPath(name, values), ORIGIN);
    const same = names.filter((other) => isPathOf(other, {}, pathname));
    // By its path alone, the function could be the id of a site. Both are reads of sites.
    const also = (other: AllowedCall) => name === 'sites_all' && other === 'site';
    const { path } = ALLOWED_CALLS[name];
    expect(same).toEqual(names.filter((other) => also(other) || ALLOWED_CALLS[other].path === path));
  }
});
