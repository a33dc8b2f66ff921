import { z } from 'zod';
import { many, xmlFrom } from '../xml-answer.ts';
import { type BucketPolicy, policyFrom } from './bucket-policy.ts';
import type { S3Answer, S3Calls } from './s3-calls.ts';

/** `unknown`: the store refuses to say, or says what nobody understands. */
export type Known<T> = T | 'unknown';

/** One entry of an access list. `grantee`: a group by its address, or an account by its canonical id. */
type AclGrant = { grantee: { group: string } | { account: string }; permission: string };
export type Acl = { owner: string; grants: AclGrant[] };

/** What of a block of public access closes what was opened. Its other two settings only stop what is new. */
type PublicAccessBlock = { ignoresAcls: boolean; restrictsPolicies: boolean };

/** What opens and closes a bucket. It is the same for all objects in it. */
export type BucketAccess = {
  policy: Known<BucketPolicy>;
  /** What AWS says of the policy. Null without one. Unknown of stores that do not judge. */
  isPublic: Known<boolean | null>;
  blocks: readonly Known<PublicAccessBlock>[];
  /** Whether access lists count: an owner can switch them off. */
  aclsCount: Known<boolean>;
  acl: Known<Acl>;
};

/** Where to read the block of an account. `none`: the store has no such thing. `unknown`: nobody named the account. */
export type AccountBlock = { id: string; url: string } | 'none' | 'unknown';

/** Reads all that is said of a bucket. What is refused is unknown. */
export async function readBucketAccess(
  calls: S3Calls,
  { bucket, account, isAws }: { bucket: string; account: AccountBlock; isAws: boolean },
  signal: AbortSignal,
): Promise<BucketAccess> {
  const ask = (setting: string) => calls.bucket(bucket, '', { [setting]: '' }, signal);
  const [policy, status, block, ownership, acl, ofAccount] = await Promise.all([
    ask('policy'),
    ask('policyStatus'),
    ask('publicAccessBlock'),
    ask('ownershipControls'),
    ask('acl'),
    typeof account === 'string' ? account : readAccountBlock(calls, account, signal),
  ]);
  const none = (answer: S3Answer) => isNone(answer, isAws);
  return {
    policy: none(policy) ? [] : policyIn(policy),
    isPublic: status.code === 'NoSuchBucketPolicy' ? null : await parsed(status, PolicyStatus),
    blocks: [
      none(block) ? NO_BLOCK : await parsed(block, Block),
      typeof ofAccount === 'string'
        ? ofAccount === 'none'
          ? NO_BLOCK
          : 'unknown'
        : await accountBlockIn(ofAccount),
    ],
    aclsCount: none(ownership) || (await parsed(ownership, Ownership)),
    acl: await aclIn(acl),
  };
}

/** The right that each setting of a bucket needs. */
const RIGHTS = {
  policy: 's3:GetBucketPolicy',
  policyStatus: 's3:GetBucketPolicyStatus',
  publicAccessBlock: 's3:GetBucketPublicAccessBlock',
  ownershipControls: 's3:GetBucketOwnershipControls',
  acl: 's3:GetBucketAcl',
};

/** The rights to these settings, and to the block of the account, that the store refuses. */
export async function refusedRights(
  calls: S3Calls,
  { bucket, account }: { bucket: string; account: AccountBlock },
  signal: AbortSignal,
): Promise<string[]> {
  const answers = await Promise.all([
    ...Object.entries(RIGHTS).map(async ([setting, right]) => ({
      right,
      answer: await calls.bucket(bucket, '', { [setting]: '' }, signal),
    })),
    ...(typeof account === 'string'
      ? []
      : [
          readAccountBlock(calls, account, signal).then((answer) => ({
            right: 's3:GetAccountPublicAccessBlock',
            answer,
          })),
        ]),
  ]);
  return answers.flatMap(({ right, answer }) => (answer.status === 403 ? [right] : []));
}

export const aclIn = (answer: S3Answer): Promise<Known<Acl>> => parsed(answer, AccessControl);

const readAccountBlock = (calls: S3Calls, { id, url }: { id: string; url: string }, signal: AbortSignal) =>
  calls.other(`${url}/v20180820/configuration/publicAccessBlock`, signal, {
    headers: { 'x-amz-account-id': id },
  });

const accountBlockIn = async (answer: S3Answer) => (isNone(answer, true) ? NO_BLOCK : parsed(answer, Block));

const ABSENT = new Set([
  'NoSuchBucketPolicy',
  'NoSuchPublicAccessBlockConfiguration',
  'OwnershipControlsNotFoundError',
]);

/** Whether there is no such setting. AWS says `MethodNotAllowed` to other accounts; other stores do of what they lack. */
const isNone = ({ status, code }: S3Answer, isAws: boolean): boolean =>
  ABSENT.has(code) || (!isAws && (status === 501 || status === 405));

const NO_BLOCK: PublicAccessBlock = { ignoresAcls: false, restrictsPolicies: false };

const Flag = z.string().transform((text) => text.toLowerCase() === 'true');
const PolicyStatus = z.object({ IsPublic: Flag }).transform(({ IsPublic }) => IsPublic);
const Block = z.object({ IgnorePublicAcls: Flag, RestrictPublicBuckets: Flag }).transform((block) => ({
  ignoresAcls: block.IgnorePublicAcls,
  restrictsPolicies: block.RestrictPublicBuckets,
}));
/** There is one rule. */
const Ownership = z
  .object({ Rule: z.object({ ObjectOwnership: z.string() }) })
  .transform(({ Rule }) => Rule.ObjectOwnership !== 'BucketOwnerEnforced');
const Grantee = z.union([
  z.object({ URI: z.string() }).transform(({ URI }) => ({ group: URI })),
  z.object({ ID: z.string() }).transform(({ ID }) => ({ account: ID })),
]);
const AccessControl = z
  .object({
    Owner: z.object({ ID: z.string() }),
    AccessControlList: z.preprocess(
      (list) => (typeof list === 'string' ? {} : list),
      z.object({ Grant: many(z.object({ Grantee, Permission: z.string() })) }),
    ),
  })
  .transform(({ Owner, AccessControlList }) => ({
    owner: Owner.ID,
    grants: AccessControlList.Grant.map(({ Grantee: grantee, Permission: permission }) => ({
      grantee,
      permission,
    })),
  }));

async function parsed<T>({ status, bytes }: S3Answer, schema: z.ZodType<T>): Promise<Known<T>> {
  if (status !== 200 || bytes === null) return 'unknown';
  const result = schema.safeParse(await xmlFrom(bytes));
  return result.success ? result.data : 'unknown';
}

function policyIn({ status, bytes }: S3Answer): Known<BucketPolicy> {
  if (status !== 200 || bytes === null) return 'unknown';
  return policyFrom(bytes) ?? 'unknown';
}
