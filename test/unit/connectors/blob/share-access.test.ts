import { expect, test } from 'vitest';
import { grantsOf } from '../../../../core/connectors/blob/share-access.ts';

const grantsIn = (sddl: string) =>
  grantsOf(sddl).map(({ principal, principalKind, role, inherited }) => [
    principal,
    principalKind,
    role,
    inherited,
  ]);

test('the usual list of a share names administrators, users and everyone', () => {
  expect(
    grantsIn('O:SYG:SYD:PAI(A;OICI;FA;;;BA)(A;OICIID;0x1301bf;;;AU)(A;ID;0x1200a9;;;BU)(A;;FR;;;WD)'),
  ).toEqual([
    ['Administrators', 'group', 'owner', false],
    ['Authenticated users', 'organization', 'write', true],
    ['Users', 'organization', 'read', true],
    ['Everyone', 'organization', 'read', false],
  ]);
});

test('an identifier of a person or group is shown as it is; domain users are everybody', () => {
  expect(
    grantsIn(
      'O:SYG:SYD:(A;;0x1200a9;;;S-1-5-21-1-2-3-1104)(A;;FW;;;S-1-5-21-1-2-3-513)(A;;GA;;;S-1-12-1-7-8-9-10)',
    ),
  ).toEqual([
    ['S-1-5-21-1-2-3-1104', 'group', 'read', false],
    ['Domain users', 'organization', 'write', false],
    ['S-1-12-1-7-8-9-10', 'group', 'owner', false],
  ]);
});

test('nobody is granted by what denies, what is only inherited, or what reads no data', () => {
  expect(grantsIn('O:SYG:SYD:(D;;FA;;;WD)(A;OICIIO;FA;;;CO)(A;;0x100080;;;AU)(A;;;;;WD)')).toEqual([]);
});

test('a condition counts as met, and the list that audits is not read', () => {
  expect(
    grantsIn(
      'O:SYG:SYD:(XA;;FR;;;AU;(@User.Title == "PM" && (Member_of {SID(BA)})))(A;;FR;;;BA)S:(AU;FA;FA;;;WD)',
    ),
  ).toEqual([
    ['Authenticated users', 'organization', 'read', false],
    ['Administrators', 'group', 'read', false],
  ]);
});

test('a file without a list is open to everybody who reaches the share', () => {
  const everybody = [['Everyone', 'organization', 'owner', false]];
  expect(grantsIn('O:SYG:SY')).toEqual(everybody);
  expect(grantsIn('O:SYG:SYD:NO_ACCESS_CONTROL')).toEqual(everybody);
  expect(grantsIn('O:SYG:SYD:P')).toEqual([]);
});

test('a list without an end is read as far as it goes', () => {
  expect(grantsIn('O:SYG:SYD:(A;;FR;;;WD)(A;;FR')).toHaveLength(1);
  expect(grantsIn(`O:SYG:SYD:${'('.repeat(50_000)}`)).toEqual([]);
  expect(grantsIn(`O:SYG:SYD:${'(A;;FR;;;BA)'.repeat(5_000)}`)).toHaveLength(1_000);
});
