import type { Grant } from '../connector.ts';
import type { Acl, BucketAccess, Known } from './bucket-access.ts';
import { isOpenToAll, type Reader, readersOf } from './bucket-policy.ts';

/** Everyone, and everyone with an account at AWS. */
const GROUPS = 'http://acs.amazonaws.com/groups/global/';
const ACCOUNT = /^(?:arn:[^:]*:(?:iam|sts)::)?(\d{12})(?::(.*))?$/;

/** What is asked of an object: its bucket, its key, and the account of the bucket if somebody named it. */
export type Of = { bucket: string; key: string; accountId: string | null };

/**
 * Who can read an object besides the identities of its account: by the policy of the bucket, and by its own access list.
 * What a setting may close that cannot be read is unconfirmed.
 * @param own access list of the object; null if such lists do not count
 */
export function grantsOf(access: BucketAccess, own: Known<Acl> | null, of: Of): Grant[] {
  const { policy } = access;
  const readers = policy === 'unknown' ? [] : readersOf(policy, of.bucket, of.key);
  if (readers === 'nobody') return [];
  return [
    ...(policy === 'unknown' ? byVerdict(access) : byPolicy(access, isOpenToAll(policy), readers, of)),
    ...evidenceOf(access),
    ...(own === null || own === 'unknown' ? [] : byAcl(access, own)),
  ];
}

const granted = (
  grant: Pick<Grant, 'principal' | 'principalKind'> & Partial<Grant>,
  unconfirmed: boolean,
): Grant => ({
  external: false,
  role: 'read',
  inherited: true,
  ...grant,
  ...(unconfirmed && { unconfirmed: true as const }),
});

/** Whether a setting of the blocks holds: the strictest counts. */
function blocked(access: BucketAccess, setting: 'ignoresAcls' | 'restrictsPolicies'): Known<boolean> {
  const states = access.blocks.map((block) => (block === 'unknown' ? block : block[setting]));
  if (states.includes(true)) return true;
  return states.includes('unknown') ? 'unknown' : false;
}

/** The policy cannot be read. Unless AWS says that it is not public, it may open any object. */
function byVerdict(access: BucketAccess): Grant[] {
  if (access.isPublic === false || access.isPublic === null || blocked(access, 'restrictsPolicies') === true)
    return [];
  return [
    granted({ principal: 'Anyone (policy of the bucket)', principalKind: 'anyone', external: true }, true),
  ];
}

function byPolicy(
  access: BucketAccess,
  isOpen: boolean,
  readers: readonly Reader[],
  { accountId }: Of,
): Grant[] {
  const restricts = access.isPublic === true || isOpen ? blocked(access, 'restrictsPolicies') : false;
  return readers.flatMap((reader) => {
    // Of a policy that is public anyway, AWS does not say whether conditions of other statements are met by everyone.
    const grant = grantTo(reader, accountId, isOpen ? 'unknown' : access.isPublic);
    // A block that restricts a public policy leaves it to the own account.
    if (restricts === true && (grant.external || grant.principalKind === 'organization')) return [];
    const unconfirmed = grant.unconfirmed === true || (restricts === 'unknown' && grant.external);
    return [granted(grant, unconfirmed)];
  });
}

/** @param isPublic what AWS says of a policy whose statements for everyone all have conditions */
function grantTo(
  { type, principal, canWrite, condition }: Reader,
  accountId: string | null,
  isPublic: Known<boolean | null>,
): Grant {
  const role = canWrite ? 'write' : 'read';
  if (type === 'AWS' && principal === '*') return { ...toEveryone(condition, isPublic), role };
  const [, account, name = 'root'] = ACCOUNT.exec(principal) ?? [];
  if (account === undefined)
    // Services of AWS, providers of identities, and the canonical id of an account.
    return granted(
      { principal, principalKind: 'group', external: type === 'CanonicalUser', role },
      type === 'CanonicalUser',
    );
  const isWholeAccount = name === 'root';
  return granted(
    {
      principal: isWholeAccount ? `AWS account ${account}` : principal,
      principalKind: isWholeAccount ? 'group' : 'user',
      external: account !== accountId,
      role,
    },
    accountId === null,
  );
}

function toEveryone(condition: Reader['condition'], isPublic: Known<boolean | null>): Grant {
  if (condition === 'organization')
    return granted(
      { principal: 'The AWS organization (policy of the bucket)', principalKind: 'organization' },
      false,
    );
  if (condition === 'none')
    return granted(
      { principal: 'Anyone (policy of the bucket)', principalKind: 'anyone', external: true },
      false,
    );
  // A condition may be met by everyone. AWS judges that for the policy as a whole.
  return isPublic === false
    ? granted(
        { principal: 'Whoever meets a condition of the policy of the bucket', principalKind: 'link' },
        false,
      )
    : granted({ principal: 'Anyone (policy of the bucket)', principalKind: 'anyone', external: true }, true);
}

/** The access list of a bucket lets nobody read an object. What it gives everyone is shown, and is no exposure. */
function evidenceOf(access: BucketAccess): Grant[] {
  const { acl, aclsCount } = access;
  const ignores = blocked(access, 'ignoresAcls');
  if (acl === 'unknown' || aclsCount === false || ignores === true) return [];
  return acl.grants.flatMap(({ grantee, permission }) => {
    if (!('group' in grantee) || !grantee.group.startsWith(GROUPS)) return [];
    const isUnconfirmed = aclsCount === 'unknown' || ignores === 'unknown';
    return EVIDENCE.filter(([right]) => permission === right || permission === 'FULL_CONTROL').map(
      ([, principal, role]) => granted({ principal, principalKind: 'link', role }, isUnconfirmed),
    );
  });
}

const EVIDENCE: readonly (readonly [right: string, principal: string, role: Grant['role']])[] = [
  ['READ', 'Anyone may list the keys of the bucket', 'read'],
  ['WRITE', 'Anyone may add and replace objects of the bucket', 'write'],
  ['WRITE_ACP', 'Anyone may change who has access to the bucket', 'write'],
];

/** What lets an object be read. Who may write its access list can let themselves read it. */
const ROLES: ReadonlyMap<string, Grant['role']> = new Map([
  ['READ', 'read'],
  ['WRITE_ACP', 'write'],
  ['FULL_CONTROL', 'write'],
]);

function byAcl(access: BucketAccess, { owner, grants }: Acl): Grant[] {
  const ignores = blocked(access, 'ignoresAcls');
  return grants.flatMap(({ grantee, permission }) => {
    const role = ROLES.get(permission);
    if (role === undefined) return [];
    const unconfirmed = access.aclsCount === 'unknown';
    if ('account' in grantee) {
      const isOwner = grantee.account === owner;
      const account = { principal: `Account ${grantee.account}`, principalKind: 'group' as const };
      const grant = {
        ...account,
        external: !isOwner,
        role: isOwner ? 'owner' : role,
        inherited: false,
      } as const;
      return [granted(grant, unconfirmed && !isOwner)];
    }
    const who = grantee.group.startsWith(GROUPS) ? grantee.group.slice(GROUPS.length) : null;
    if (who === null || ignores === true) return [];
    const principal =
      who === 'AllUsers' ? 'Anyone (access list)' : 'Anyone with an AWS account (access list)';
    return [
      granted(
        { principal, principalKind: 'anyone', external: true, role, inherited: false },
        unconfirmed || ignores === 'unknown',
      ),
    ];
  });
}
