import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AllowedCall } from '../../../../core/connectors/m365/allowed-calls.ts';
import { contentAddress, graphLink, linkPath } from '../../../../core/connectors/m365/follow-link.ts';
import { GRAPH_CLOUDS } from '../../../../core/connectors/m365/graph-cloud.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const cloud = GRAPH_CLOUDS.global;
const drive = { driveId: 'b!x_-1' };
const G = 'https://graph.microsoft.com/v1.0';
const refused = (name: string) =>
  expect.objectContaining({ safeDiagnostic: `graph_${name}_link_refused`, retryClass: 'permanent' });

describe('a link on Graph', () => {
  test.each<[AllowedCall, Record<string, string>, string]>([
    ['delta', drive, `${G}/drives/b!x_-1/root/delta?token=abc`],
    ['delta', drive, `${G}/drives/b%21x_-1/root/delta?$skiptoken=a&$top=200`],
    ['delta', drive, `${G}/drives('b!x_-1')/root/delta(token='MzslMjM0')`],
    ['delta', drive, `${G}/drives('b%21x_-1')/root/microsoft.graph.delta()?token=a`],
    ['delta', drive, `${G}/drives/b!x_-1/root/delta?(token='Mzsl')`],
    ['delta', drive, `${G}/drives/b!x_-1/items/01ROOT/delta?token=a`],
    ['delta', drive, `${G}/drives/b!x_-1/delta(token=1230919)`],
    ['sites_all', {}, `${G}/sites/oneDrive.getAllSites?$skiptoken=U1BH`],
    ['sites_all', {}, `${G}/sites/getAllSites?$skiptoken=U1BH`],
    ['group_members', { groupId: 'g' }, `${G}/groups/g/transitiveMembers?$skiptoken=X'44'`],
    ['group_members', { groupId: 'g' }, `${G}/groups/g/transitiveMembers/microsoft.graph.user?$skiptoken=1`],
    ['delta', drive, '/v1.0/drives/b!x_-1/root/delta?token=abc'],
  ])('%s is followed in a form that Graph writes', (name, values, link) => {
    const url = graphLink(cloud, name, values, link);
    expect(url.origin).toBe(cloud.graphOrigin);
    expect(graphLink(cloud, name, values, linkPath(cloud, name, values, link)).href).toBe(url.href);
  });

  test.each([
    ['another host', 'https://evil.example/v1.0/drives/b!x_-1/root/delta'],
    ['a host that begins alike', 'https://graph.microsoft.com.evil.example/v1.0/drives/b!x_-1/root/delta'],
    ['a host as user', 'https://graph.microsoft.com@evil.example/v1.0/drives/b!x_-1/root/delta'],
    ['a user', 'https://user:pass@graph.microsoft.com/v1.0/drives/b!x_-1/root/delta'],
    ['a port', 'https://graph.microsoft.com:8443/v1.0/drives/b!x_-1/root/delta'],
    ['no TLS', 'http://graph.microsoft.com/v1.0/drives/b!x_-1/root/delta'],
    ['another scheme', 'ftp://graph.microsoft.com/v1.0/drives/b!x_-1/root/delta'],
    ['a file', 'file:///v1.0/drives/b!x_-1/root/delta'],
    ['a host after slashes', '//evil.example/v1.0/drives/b!x_-1/root/delta'],
    ['a host after a backslash', '/\\evil.example/v1.0/drives/b!x_-1/root/delta'],
    ['a relative path', 'drives/b!x_-1/root/delta'],
    ['a dot after the host', 'https://graph.microsoft.com./v1.0/drives/b!x_-1/root/delta'],
    ['a fragment', `${G}/drives/b!x_-1/root/delta#x`],
    ['another drive', `${G}/drives/b!other/root/delta?token=a`],
    ['another drive as key', `${G}/drives('b!other')/root/delta?token=a`],
    ['another call', `${G}/drives/b!x_-1/items/1/permissions`],
    ['the beta version', 'https://graph.microsoft.com/beta/drives/b!x_-1/root/delta'],
    ['dot segments', `${G}/drives/b!x_-1/root/delta/../../../../me`],
    ['encoded dot segments', `${G}/drives/b!x_-1/root/delta/%2e%2e/%2e%2e`],
    ['an encoded slash', `${G}/drives/b!x_-1%2Froot/delta`],
    ['a half-encoded path', `${G}/drives/%E0%A4%A/root/delta`],
    ['parameters of another segment', `${G}/drives/b!x_-1/root()/delta`],
    ['parameters of an id', `${G}/drives/b!x_-1(a)/root/delta`],
    ['more after it', `${G}/drives/b!x_-1/root/delta/children`],
    ['an empty text', ''],
    ['a long text', `${G}/drives/b!x_-1/root/delta?token=${'a'.repeat(20_000)}`],
  ])('is refused with %s', (_what, link) => {
    expect(() => graphLink(cloud, 'delta', drive, link)).toThrow(refused('delta'));
  });

  test('is refused, or lies on the Graph host with the path of the call', () => {
    const part = fc.constantFrom(
      'https:',
      'http:',
      '//',
      '/',
      '\\',
      'graph.microsoft.com',
      'evil.example',
      '@',
      ':443',
      ':80',
      '/v1.0',
      '/beta',
      '/drives',
      '/b!x_-1',
      "('b!x_-1')",
      '/root',
      '/delta',
      '()',
      "(token='a')",
      '/..',
      '/%2e%2e',
      '%2f',
      '?',
      '#',
      '\t',
      '\n',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.boolean(), (parts, begins) => {
        const link = `${begins ? 'https://graph.microsoft.com/v1.0/drives/b!x_-1/root' : ''}${parts.join('')}`;
        let url: URL;
        try {
          url = graphLink(cloud, 'delta', drive, link);
        } catch (error) {
          expect(error).toEqual(refused('delta'));
          return;
        }
        expect(url.origin).toBe('https://graph.microsoft.com');
        expect(url.username + url.password + url.hash).toBe('');
        expect(decodeURIComponent(url.pathname)).toMatch(
          /^\/v1\.0\/drives(?:\/b!x_-1|\('b!x_-1'\))\/(?:root\/)?delta(?:\(.*\))?$/s,
        );
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe('the address of a content', () => {
  test.each([
    ['global', 'https://contoso.sharepoint.com/_layouts/15/download.aspx?UniqueId=1&tempauth=x'],
    ['global', 'https://contoso-my.sharepoint.com/x'],
    ['global', 'https://westeurope1-mediap.svc.ms/transform'],
    ['usgov', 'https://contoso.sharepoint.us/x'],
    ['usgov_dod', 'https://contoso.sharepoint-mil.us/x'],
    ['china', 'https://contoso.sharepoint.cn/x'],
  ] as const)('of the cloud %s is read', (name, address) => {
    expect(contentAddress(GRAPH_CLOUDS[name], 'download', address).href).toBe(address);
  });

  test.each([
    'https://sharepoint.com/x',
    'https://evilsharepoint.com/x',
    'https://contoso.sharepoint.com.evil.example/x',
    'https://contoso.sharepoint.com@evil.example/x',
    'https://user@contoso.sharepoint.com/x',
    'https://contoso.sharepoint.com:8443/x',
    'https://contoso.sharepoint.com./x',
    'https://contoso.sharepoint.com/x#y',
    'http://contoso.sharepoint.com/x',
    'https://contoso.sharepoint.us/x',
    'https://127.0.0.1/x',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://[::1]/x',
    'https://[::ffff:169.254.169.254]/x',
    'http://169.254.169.254/metadata/identity/oauth2/token',
    'https://10.0.0.1/x',
    'https://localhost/x',
    'https://graph.microsoft.com/v1.0/me',
    'https://metadata.google.internal/x',
    'data:text/plain,x',
    'file:///etc/passwd',
    'javascript:1',
    '/x',
    '//contoso.sharepoint.com/x',
    '',
  ])('is refused: %s', (address) => {
    for (const name of ['download', 'monitor'] as const)
      expect(() => contentAddress(cloud, name, address)).toThrow(refused(name));
  });
});
