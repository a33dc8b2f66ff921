import { type Answer, get, type Session, signIn } from './session.ts';

/** What people were shown, with their sessions: a new sign-in would be shown too. */
export type Shown = readonly { session: Session; answers: ReadonlyMap<string, Answer> }[];

/** Where the ids of a path come from: a list, and the member of its items. */
const IDS: Readonly<Record<string, readonly [list: string, member: string]>> = {
  '/api/actions/{id}': ['/api/actions', 'actionId'],
  '/api/assets/{id}': ['/api/assets', 'assetId'],
  '/api/assets/{id}/connections': ['/api/assets', 'assetId'],
  '/api/assets/{id}/semantic-neighbors': ['/api/assets', 'assetId'],
  '/api/chat/messages/{id}': ['/api/chat/messages', 'messageId'],
  '/api/governance/directory/groups/{id}/people': ['/api/governance/directory/groups?q=a', 'groupId'],
  '/api/governance/suppressions/{id}': ['/api/governance/suppressions', 'suppressionId'],
  '/api/mail/messages/{id}': ['/api/mail/messages', 'messageId'],
  '/api/models/governed-releases/{id}': ['/api/models/governed-releases', 'releaseId'],
  '/api/onboarding/policy-documents/{id}': ['/api/onboarding/policy-documents', 'documentId'],
  '/api/review/candidates/{id}': ['/api/review/queue', 'candidateId'],
  '/api/scans/{id}': ['/api/scans', 'campaignId'],
};
const IDS_EACH = 2;

/**
 * Not of the tenant's data: the process, its documentation, the sign-in, and the trail that each question grows. The ids of
 * information types are within their domains, and what is suggested for them changes with the wording.
 */
const PASSED_OVER =
  /^\/api\/(?:analyst|audit|auth|docs|exports\/audit|governance\/(?:detectors|information-types)|models\/releases|health|openapi\.json|ops\/(?:metrics|overview)|ready|scans\/\{id\}\/events|support\/diagnostics)(?:\/|$)/;

type Operation = { parameters?: { in: string; name: string; required?: boolean }[] };
type OpenApi = { paths: Record<string, { get?: Operation }> };

/** Signs in these people and asks for all that the API of the host shows them. */
export async function showEverything(url: string, principals: readonly string[]): Promise<Shown> {
  const document = (await (await fetch(`${url}/api/openapi.json`)).json()) as OpenApi;
  const paths = Object.entries(document.paths).flatMap(([path, { get: operation }]) => {
    if (operation === undefined || PASSED_OVER.test(path)) return [];
    const needed = operation.parameters?.filter((each) => each.in === 'query' && each.required === true);
    return [`${path}${needed?.map(({ name }, at) => `${at === 0 ? '?' : '&'}${name}=a`).join('') ?? ''}`];
  });
  const [lists, details] = [
    paths.filter((path) => !path.includes('{')),
    paths.filter((path) => path.includes('{')),
  ];
  const sessions = await Promise.all(principals.map((principalId) => signIn(url, principalId)));
  const shown: { session: Session; answers: Map<string, Answer> }[] = [];
  for (const session of sessions) {
    const answers = new Map<string, Answer>();
    const ask = async (path: string) => answers.set(path, await get(url, session, path));
    for (const path of lists) await ask(path);
    for (const path of details) for (const id of idsFor(path, answers)) await ask(path.replace('{id}', id));
    shown.push({ session, answers });
  }
  return shown;
}

function idsFor(path: string, answers: ReadonlyMap<string, Answer>): string[] {
  const [list = '', member = ''] = IDS[path] ?? [];
  if (member === '') throw new Error(`Say in ${import.meta.filename} where the ids of ${path} come from.`);
  const answer = answers.get(list);
  if (answer?.status !== 200) return [];
  const { items } = JSON.parse(answer.text) as { items: Record<string, unknown>[] };
  return items.slice(0, IDS_EACH).flatMap((item) => (typeof item[member] === 'string' ? [item[member]] : []));
}

/** Asks another host for the same, and returns what it shows no more, or otherwise. It may show more. */
export async function lostAt(url: string, before: Shown): Promise<string[]> {
  const lost: string[] = [];
  for (const { session, answers } of before) {
    for (const [path, then] of answers) {
      const now = await get(url, session, path);
      const asked = `${session.principalId} ${path}`;
      if (now.status !== then.status) lost.push(`${asked}: ${then.status}, now ${now.status}`);
      else {
        const isGrowing = GROWING.has(path);
        lost.push(
          ...missing(parsed(then.text), parsed(now.text), isGrowing).map((what) => `${asked}${what}`),
        );
      }
    }
  }
  return lost;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text.split('\n');
  }
};

/** Members that differ with each question, or with the release. */
const PASSING = new Set(['correlationId', 'effectiveTime', 'productVersion']);
/** Members that this release shows otherwise on purpose. Empty it with the next release. */
const CHANGED = new Set<string>([]);

/** Lists of what a release has, to which a later one may add. */
const GROWING = new Set(['/api/admin/retention']);

/** The values of `then` that `now` lacks. Objects may have gained members, and lists that grow further items. */
function missing(then: unknown, now: unknown, isGrowing: boolean): string[] {
  if (typeof then !== 'object' || then === null)
    return then === now ? [] : [`: ${JSON.stringify(then)}, now ${JSON.stringify(now)}`];
  if (typeof now !== 'object' || now === null) return [`: an object, now ${JSON.stringify(now)}`];
  if (Array.isArray(then) && isGrowing)
    return then.flatMap((item, at) =>
      (now as unknown[]).some((each) => missing(item, each, false).length === 0) ? [] : [`.${at}: is gone`],
    );
  if (Array.isArray(then) && then.length !== (now as unknown[]).length)
    return [`: ${then.length} items, now ${(now as unknown[]).length}`];
  return Object.entries(then).flatMap(([name, value]) =>
    PASSING.has(name) || CHANGED.has(name)
      ? []
      : missing(value, (now as Record<string, unknown>)[name], isGrowing).map((what) => `.${name}${what}`),
  );
}
