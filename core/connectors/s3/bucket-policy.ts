import { z } from 'zod';
import { jsonFrom } from '../json-answer.ts';

const Texts = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => (typeof given === 'string' ? [given] : given));
const Principals = z.union([z.literal('*').transform(() => ({ AWS: ['*'] })), z.record(z.string(), Texts)]);
const Statement = z.object({
  Effect: z.enum(['Allow', 'Deny']),
  Principal: Principals.optional(),
  NotPrincipal: Principals.optional(),
  Action: Texts.optional(),
  NotAction: Texts.optional(),
  Resource: Texts.optional(),
  NotResource: Texts.optional(),
  Condition: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
});
type Statement = z.infer<typeof Statement>;
const Policy = z
  .object({ Statement: z.union([Statement, z.array(Statement)]) })
  .transform((policy) => [policy.Statement].flat());

/** The statements of a bucket policy. */
export type BucketPolicy = readonly Statement[];

/** Null for what is no policy. */
export const policyFrom = (answer: Uint8Array): BucketPolicy | null =>
  Policy.safeParse(jsonFrom(answer)).data ?? null;

/**
 * Whom a policy lets read an object. `principal` is `*` for everyone, else what the policy names, with its type before it.
 * `condition`: `organization` if they must be of an AWS organization, `other` if anything else must hold.
 */
export type Reader = {
  type: string;
  principal: string;
  canWrite: boolean;
  condition: 'none' | 'organization' | 'other';
};

/** The readers of one object, or `nobody` if the policy denies it to everyone, whatever else allows it. */
export function readersOf(policy: BucketPolicy, bucket: string, key: string): Reader[] | 'nobody' {
  const resource = `arn:aws:s3:::${bucket}/${key}`;
  const about = policy.filter(({ Resource, NotResource }) =>
    isNamed(Resource?.map(withoutPartition), NotResource?.map(withoutPartition), resource),
  );
  const reading = about.filter((statement) => covers(statement, 's3:getobject'));
  if (reading.some(({ Effect, ...statement }) => Effect === 'Deny' && isForAll(statement))) return 'nobody';
  return reading
    .filter(({ Effect }) => Effect === 'Allow')
    .flatMap((statement) =>
      readersIn(
        statement,
        about.some((other) => isWriting(other, statement)),
      ),
    );
}

/** Whether anything in the policy is open to everyone, without a condition. */
export const isOpenToAll = (policy: BucketPolicy): boolean =>
  policy.some(
    ({ Effect, NotPrincipal, ...statement }) =>
      Effect === 'Allow' &&
      isForAll(NotPrincipal === undefined ? statement : { ...statement, Principal: { AWS: ['*'] } }),
  );

function readersIn(statement: Statement, canWrite: boolean): Reader[] {
  const condition = conditionOf(statement);
  if (statement.NotPrincipal !== undefined) return [{ type: 'AWS', principal: '*', canWrite, condition }];
  return Object.entries(statement.Principal ?? {}).flatMap(([type, principals]) =>
    principals.map((principal) => ({ type, principal, canWrite, condition })),
  );
}

/** Whether a statement lets the principals of another one write too. */
const isWriting = (statement: Statement, { Principal }: Statement) =>
  statement.Effect === 'Allow' &&
  covers(statement, 's3:putobject') &&
  JSON.stringify(statement.Principal) === JSON.stringify(Principal);

const isForAll = ({ Principal, Condition }: Pick<Statement, 'Principal' | 'Condition'>) =>
  Object.keys(Condition).length === 0 && (Principal?.AWS?.includes('*') ?? false);

function conditionOf({ Condition }: Statement): Reader['condition'] {
  const tests = Object.entries(Condition);
  if (tests.length === 0) return 'none';
  const isOfOrganization = tests.some(
    ([operator, keys]) =>
      // With `ForAllValues:` who is of no organization meets it too.
      /^(?:ForAnyValue:)?StringEquals$/.test(operator) &&
      Object.keys(keys).some((key) => key.toLowerCase() === 'aws:principalorgid'),
  );
  return isOfOrganization ? 'organization' : 'other';
}

const covers = ({ Action, NotAction }: Statement, action: string) =>
  isNamed(
    Action?.map((each) => each.toLowerCase()),
    NotAction?.map((each) => each.toLowerCase()),
    action,
  );

const isNamed = (names: string[] | undefined, except: string[] | undefined, text: string): boolean =>
  names?.some((pattern) => matches(pattern, text)) ??
  (except !== undefined && !except.some((pattern) => matches(pattern, text)));

const withoutPartition = (arn: string) => arn.replace(/^arn:[^:]*:/, 'arn:aws:');

/** Whether a pattern with `*` and `?` matches the whole text. In steps of at most both lengths multiplied. */
function matches(pattern: string, text: string): boolean {
  let at = 0;
  let read = 0;
  let star = -1;
  let retry = 0;
  while (read < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      retry = read;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[read])) {
      at++;
      read++;
    } else if (star >= 0) {
      at = star + 1;
      read = ++retry;
    } else return false;
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
