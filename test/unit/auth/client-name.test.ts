import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clientName } from '../../../core/auth/client-name.ts';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const MAC = 'Macintosh; Intel Mac OS X 10_15_7';
const IPHONE = 'iPhone; CPU iPhone OS 17_5 like Mac OS X';

test.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:126.0) Gecko/20100101 Firefox/126.0', 'Firefox on Windows'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0', 'Firefox on Linux'],
  [`Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/125.0.0.0 Safari/537.36`, 'Chrome on Windows'],
  [`Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/125.0 Safari/537.36 Edg/125.0`, 'Edge on Windows'],
  [`Mozilla/5.0 (${MAC}) ${WEBKIT} Chrome/125.0 Safari/537.36 OPR/110.0`, 'Opera on macOS'],
  [`Mozilla/5.0 (${MAC}) AppleWebKit/605.1.15 (KHTML) Version/17.5 Safari/605.1.15`, 'Safari on macOS'],
  [`Mozilla/5.0 (${IPHONE}) AppleWebKit/605.1 Version/17.5 Mobile/15E148 Safari/604.1`, 'Safari on iOS'],
  [`Mozilla/5.0 (${IPHONE}) AppleWebKit/605.1 CriOS/125.0 Mobile/15E148 Safari/604.1`, 'Chrome on iOS'],
  [`Mozilla/5.0 (${IPHONE}) AppleWebKit/605.1 FxiOS/126.0 Mobile/15E148 Safari/605.1`, 'Firefox on iOS'],
  [`Mozilla/5.0 (${IPHONE}) AppleWebKit/605.1 EdgiOS/125.0 Mobile Safari/605.1`, 'Edge on iOS'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/125.0 Mobile Safari/537.36`, 'Chrome on Android'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/125.0 Safari/537.36 EdgA/125`, 'Edge on Android'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/125.0 Safari/537.36`, 'Chrome on ChromeOS'],
  [`Mozilla/5.0 (X11; Linux) ${WEBKIT} HeadlessChrome/125.0 Safari/537.36`, 'Chrome on Linux'],
  ['curl/8.7.1', 'curl'],
  ['', 'Other client'],
  [null, 'Other client'],
  ['python-requests/2.32 Linux', 'Other client on Linux'],
  ['NotFirefox/1.0 MyChrome/2.0', 'Other client'],
])('of %j is a browser and a system', (userAgent, name) => {
  expect(clientName(userAgent)).toBe(name);
});

const BROWSERS = ['Edge', 'Opera', 'Firefox', 'Chrome', 'Safari', 'curl', 'Other client'];
const SYSTEMS = ['Android', 'iOS', 'Windows', 'macOS', 'ChromeOS', 'Linux'];
const NAMES = new Set(BROWSERS.flatMap((name) => [name, ...SYSTEMS.map((system) => `${name} on ${system}`)]));

const pieces = fc.constantFrom(
  ...['Chrome/', 'Edg/', 'EdgA/', 'Firefox/', 'Safari/', 'OPR/', 'curl/', 'Version/'],
  ...['Windows', 'Android', 'Linux', 'iPhone', 'Mac OS X', 'CrOS', ' ', '1', '(', '; '],
);
const userAgent = fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' })), { maxLength: 20 });

test('no other text of a User-Agent is kept', () => {
  fc.assert(
    fc.property(userAgent, (parts) => {
      expect(NAMES).toContain(clientName(parts.join('')));
    }),
  );
});

test('only the first 512 characters count', () => {
  expect(clientName(`${'x '.repeat(252)}Chrome/1`)).toBe('Chrome');
  expect(clientName(`${'x '.repeat(256)}Chrome/1 Windows`)).toBe('Other client');
});
