import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  claimedRoles,
  identityIn,
  isDelegated,
  isGoogle,
  isMicrosoft,
  type RoleMapping,
} from '../../../core/auth/claims.ts';
import { ROLES } from '../../../core/kernel/vocabulary.ts';

const ISSUER = 'https://provider.test/';
const MICROSOFT = 'https://login.microsoftonline.com/4a7c/v2.0';
const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'binary', minLength: 190, maxLength: 220 }),
  fc.anything(),
);

describe('the identity in claims', () => {
  test('is issuer and subject as they are, character by character', () => {
    const subject = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(subject, anything, anything, (sub, name, email) => {
        expect(identityIn({ iss: ISSUER, sub, name, email })).toMatchObject({
          issuer: ISSUER,
          subject: sub,
          directoryId: sub,
        });
      }),
    );
  });

  test('takes a name and an address that fit on one line of the screen', () => {
    fc.assert(
      fc.property(anything, anything, (name, email) => {
        const identity = identityIn({ iss: ISSUER, sub: 'ada', name, email });
        for (const shown of [identity?.displayName ?? '', identity?.email ?? '']) {
          expect(shown.length).toBeLessThanOrEqual(200);
          expect(shown).not.toMatch(/[\p{Cc}\p{Cs}\u200b\u202e\u2028\u2029]/u);
          expect(shown).toBe(shown.trim());
        }
        expect(identity?.email).not.toBe('');
      }),
    );
  });

  test('cuts a name between characters', () => {
    const name = identityIn({ iss: ISSUER, sub: 'ada', name: `${'a'.repeat(199)}😀` })?.displayName;
    expect(name).toBe('a'.repeat(199));
  });

  test.each([
    ['no subject', { iss: ISSUER }],
    ['an empty subject', { iss: ISSUER, sub: '' }],
    ['a subject that is no text', { iss: ISSUER, sub: ['ada'] }],
    ['a subject that is too long', { iss: ISSUER, sub: 'x'.repeat(256) }],
    ['a subject that no database holds', { iss: ISSUER, sub: 'ada\0' }],
    ['a subject that UTF-8 cannot tell from others', { iss: ISSUER, sub: 'ada\ud800' }],
    ['no issuer', { sub: 'ada' }],
    ['an issuer that is no text', { iss: [ISSUER], sub: 'ada' }],
    ["no id of Microsoft's directory", { iss: MICROSOFT, sub: 'ada' }],
    ['one that is no text', { iss: MICROSOFT, sub: 'ada', oid: 7 }],
    ['one that is too long', { iss: MICROSOFT, sub: 'ada', oid: 'x'.repeat(256) }],
  ])('is none with %s', (_, claims) => {
    expect(identityIn(claims)).toBeNull();
  });

  test('may be as long as a subject may', () => {
    expect(identityIn({ iss: ISSUER, sub: 'x'.repeat(255) })?.subject).toHaveLength(255);
  });

  test("has the id in Microsoft's directory, and no other provider's claim of that name", () => {
    const directoryIdAt = (iss: string) => identityIn({ iss, sub: 'ada', oid: 'victim' })?.directoryId;
    expect(directoryIdAt(MICROSOFT)).toBe('victim');
    for (const host of ['provider.test', 'login.microsoftonline.com.evil.test', 'evil.test'])
      expect(directoryIdAt(`https://${host}/login.microsoftonline.com`)).toBe('ada');
  });

  test('knows the hosts of Microsoft alone', () => {
    for (const end of ['com', 'us'])
      expect(isMicrosoft(`https://login.microsoftonline.${end}/a/v2.0`)).toBe(true);
    for (const url of ['https://xlogin.microsoftonline.com/', 'https://login.microsoftonline.com@evil.test/'])
      expect(isMicrosoft(url)).toBe(false);
  });

  test('knows the issuer of Google alone', () => {
    expect(isGoogle('https://accounts.google.com')).toBe(true);
    for (const url of ['https://accounts.google.com@evil.test/', 'https://accounts.google.com.evil.test'])
      expect(isGoogle(url)).toBe(false);
  });
});

describe('the roles in claims', () => {
  const word = fc.constantFrom('Admins', 'admins', 'Admins ', 'Audit', 'x', '', 'toString', '__proto__');
  const mapping: fc.Arbitrary<RoleMapping> = fc.array(
    fc.record({ claim: word, role: fc.constantFrom(...ROLES) }),
    { maxLength: 6 },
  );
  const told = fc.oneof(
    word,
    fc.array(fc.oneof(word, fc.integer(), fc.constant(null))),
    fc.constant(undefined),
  );

  test('are those of the mapping that a role or a group names exactly', () => {
    fc.assert(
      fc.property(mapping, told, told, (pairs, roles, groups) => {
        const values: unknown[] = [roles, groups].flat();
        const expected = ROLES.filter((role) =>
          pairs.some((pair) => pair.role === role && values.includes(pair.claim)),
        );
        expect(claimedRoles({ roles, groups }, pairs)).toEqual(expected.toSorted());
      }),
    );
  });

  test('do not come from other claims', () => {
    const pairs = [{ claim: 'Admins', role: 'platform_admin' }] as const;
    const claims = { role: 'Admins', wids: ['Admins'], scp: 'Admins', nested: { roles: ['Admins'] } };
    expect(claimedRoles(claims, pairs)).toEqual([]);
    expect(claimedRoles({ roles: [['Admins']], groups: { Admins: true } }, pairs)).toEqual([]);
  });

  test.each([{ hasgroups: true }, { hasgroups: 'true' }, { _claim_names: { groups: 'src1' } }])(
    'are unknown where groups are left out: %j',
    (claims) => {
      expect(claimedRoles({ ...claims, roles: ['Admins'] }, [])).toBe('unknown');
    },
  );

  test.each([
    { hasgroups: false },
    { _claim_names: { picture: 'src1' } },
    { _claim_names: null },
    { _claim_names: 'groups' },
    { _claim_names: Object.create({ groups: 'src1' }) },
  ])('are known with %j', (claims) => {
    expect(claimedRoles(claims, [])).toEqual([]);
  });
});

describe('a token is delegated', () => {
  const words = fc.string({ minLength: 1 }).filter((scope) => scope.trim() !== '');
  const scoped = fc.oneof(
    fc.record({ scp: words }),
    fc.record({ scope: words }),
    fc.record({ scp: fc.array(words, { minLength: 1 }) }),
  );
  const client = fc.constantFrom('client_id', 'azp', 'appid', 'cid');

  test('if it has a scope and was issued to an application other than its subject', () => {
    fc.assert(
      fc.property(scoped, client, (scope, name) => {
        expect(isDelegated({ sub: 'ada', idtyp: 'user', ...scope, [name]: 'application' })).toBe(true);
        expect(isDelegated({ sub: 'ada', ...scope, [name]: 'ada' })).toBe(false);
        expect(isDelegated({ sub: 'ada', ...scope, idtyp: 'app' })).toBe(false);
        expect(isDelegated({ sub: 'ada', ...scope, gty: 'client-credentials' })).toBe(false);
      }),
    );
  });

  test('never without a scope, whatever else it has', () => {
    const none = fc.constantFrom(undefined, null, '', ' ', true, 7, [], [' ', 7], { api: true });
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything()), none, none, (claims, scp, scope) => {
        expect(isDelegated({ ...claims, sub: 'ada', scp, scope })).toBe(false);
      }),
    );
  });
});
