import type { BoxFake, Heard } from './box-fake.ts';
import {
  type Caller,
  collaborationJson,
  groupMini,
  rootJson,
  sees,
  shownItem,
  userMini,
} from './box-json.ts';
import type { FakeItem } from './box-world.ts';

/** `type`: of the vendor's description. */
export type BoxAnswer = {
  status: number;
  type?: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
};

export const failed = (status: number, code: string, context: object | null = null): BoxAnswer => ({
  status,
  body: {
    type: 'error',
    status,
    code,
    message: 'Refused',
    context_info: context,
    help_url: 'http://developers.box.com/docs/#errors',
    request_id: 'abcdef123456',
  },
});

const TEMPLATE = 'securityClassification-6VMVochwUWo';
const ID = '(\\d{1,20})';

type Asked = {
  fake: BoxFake;
  heard: Heard;
  caller: Caller;
  id: string;
  addressOf: (bytes: Buffer) => string;
};
type Route = {
  path: RegExp;
  query: readonly string[];
  /** What the application needs. */
  scope: string | null;
  /** Of the vendor's description; null for what is no JSON of it. */
  type: string | null;
  answer(asked: Asked): BoxAnswer;
};

const ROUTES: readonly Route[] = [
  {
    path: /^\/2\.0\/users\/me$/,
    query: ['fields'],
    scope: null,
    type: 'User--Full',
    answer: ({ fake: { world }, caller }) => {
      const user = world.users.get(caller.userId);
      if (user === undefined) return failed(404, 'not_found');
      const { id, name } = world.enterprise;
      return { status: 200, body: { ...userMini(user), enterprise: { type: 'enterprise', id, name } } };
    },
  },
  {
    path: /^\/2\.0\/users$/,
    query: ['fields', 'limit', 'marker', 'usemarker', 'user_type', 'filter_term'],
    scope: 'manage_managed_users',
    type: 'Users',
    answer: ({ fake: { world }, heard: { query } }) => {
      const term = query.get('filter_term')?.toLowerCase() ?? '';
      const all = [...world.users.values()].filter(
        ({ isOurs, name, login }) =>
          isOurs && [name, login].some((text) => text.toLowerCase().startsWith(term)),
      );
      const from = Number(query.get('marker') ?? 0);
      const limit = Number(query.get('limit') ?? 100);
      const next = from + limit < all.length ? String(from + limit) : null;
      const fields = query.get('fields')?.split(',') ?? [];
      const entries = all.slice(from, from + limit).map((user) => ({
        ...userMini(user),
        ...(fields.includes('job_title') && { job_title: user.jobTitle ?? '' }),
        ...(fields.includes('status') && { status: 'active' }),
      }));
      return { status: 200, body: { entries, limit, next_marker: next } };
    },
  },
  {
    path: /^\/2\.0\/groups$/,
    query: ['fields', 'limit', 'offset'],
    scope: 'manage_groups',
    type: 'Groups',
    answer: ({ fake: { world }, heard: { query } }) => {
      const entries = [...world.groups.values()].slice(0, Number(query.get('limit') ?? 100)).map(groupMini);
      return {
        status: 200,
        body: { entries, limit: entries.length, offset: 0, total_count: entries.length },
      };
    },
  },
  {
    path: new RegExp(`^/2\\.0/groups/${ID}/memberships$`),
    query: ['limit', 'offset'],
    scope: 'manage_groups',
    type: 'GroupMemberships',
    answer: ({ fake: { world }, id }) => {
      const group = world.groups.get(id);
      if (group === undefined) return failed(404, 'not_found');
      const entries = group.members.flatMap((userId) => {
        const user = world.users.get(userId);
        const role = group.admins.includes(userId) ? 'admin' : 'member';
        const type = 'group_membership';
        return user === undefined
          ? []
          : [{ type, id: `${id}${userId}`, role, user: userMini(user), group: groupMini(group) }];
      });
      return { status: 200, body: { entries, limit: 1_000, offset: 0, total_count: entries.length } };
    },
  },
  {
    path: new RegExp(`^/2\\.0/metadata_templates/enterprise/${TEMPLATE}/schema$`),
    query: [],
    scope: null,
    type: 'ClassificationTemplate',
    answer: ({ fake: { world } }) => {
      const options = world.classifications.map((key, at) => ({
        id: `00000000-0000-4000-8000-00000000000${at}`,
        key,
        staticConfig: { classification: { classificationDefinition: key, colorID: at } },
      }));
      const key = 'Box__Security__Classification__Key';
      const field = { id: 'f', type: 'enum', key, displayName: 'Classification', hidden: false, options };
      const scope = `enterprise_${world.enterprise.id}`;
      const named = { id: 't', type: 'metadata_template', scope, templateKey: TEMPLATE };
      return {
        status: 200,
        body: { ...named, displayName: 'Classification', hidden: false, fields: [field] },
      };
    },
  },
  {
    path: /^\/2\.0\/events$/,
    query: ['stream_type', 'stream_position', 'limit', 'event_type'],
    scope: 'manage_enterprise_properties',
    type: 'Events',
    answer: events,
  },
  {
    path: new RegExp(`^/2\\.0/folders/${ID}$`),
    query: ['fields'],
    scope: 'root_readonly',
    type: 'Folder--Full',
    answer: (asked) => {
      if (asked.id === '0') return { status: 200, body: chosen(rootJson, asked.heard) };
      return ofItem(asked, 'folder', (item) => ({ status: 200, body: shown(asked, item) }));
    },
  },
  {
    path: new RegExp(`^/2\\.0/folders/${ID}/items$`),
    query: ['fields', 'usemarker', 'marker', 'limit'],
    scope: 'root_readonly',
    type: 'Items',
    answer: (asked) => (asked.id === '0' ? items(asked) : ofItem(asked, 'folder', () => items(asked))),
  },
  {
    path: new RegExp(`^/2\\.0/folders/${ID}/collaborations$`),
    query: ['fields', 'limit', 'marker'],
    scope: 'root_readonly',
    type: 'Collaborations',
    answer: (asked) => ofItem(asked, 'folder', (item) => collaborations(asked, item)),
  },
  {
    path: new RegExp(`^/2\\.0/files/${ID}$`),
    query: ['fields'],
    scope: 'root_readonly',
    type: 'File--Full',
    answer: (asked) => ofItem(asked, 'file', (item) => ({ status: 200, body: shown(asked, item) })),
  },
  {
    path: new RegExp(`^/2\\.0/files/${ID}/collaborations$`),
    query: ['fields', 'limit', 'marker'],
    scope: 'root_readonly',
    type: 'Collaborations',
    answer: (asked) => ofItem(asked, 'file', (item) => collaborations(asked, item)),
  },
  {
    path: new RegExp(`^/2\\.0/files/${ID}/metadata/enterprise/${TEMPLATE}$`),
    query: [],
    scope: 'root_readonly',
    type: 'Classification',
    answer: (asked) =>
      ofItem(asked, 'file', ({ id, classification }) =>
        classification === null
          ? failed(404, 'not_found')
          : {
              status: 200,
              body: {
                Box__Security__Classification__Key: classification,
                $parent: `file_${id}`,
                $template: TEMPLATE,
                $scope: `enterprise_${asked.fake.world.enterprise.id}`,
              },
            },
      ),
  },
  {
    path: new RegExp(`^/2\\.0/files/${ID}/content$`),
    query: [],
    scope: 'root_readonly',
    type: null,
    answer: (asked) => ofItem(asked, 'file', (item) => content(asked, item)),
  },
];

export function boxRoutes(fake: BoxFake, heard: Heard, addressOf: Asked['addressOf']): BoxAnswer {
  const route = ROUTES.find(({ path }) => path.test(heard.path));
  const strange = [...heard.query.keys()].filter((name) => !route?.query.includes(name));
  if (route === undefined || strange.length > 0) {
    fake.offences.push([heard.path, ...strange].join(' '));
    return failed(400, 'bad_request');
  }
  const holder = fake.authority.holderOf(heard.token);
  if (holder === null) return refusedBearer(401, 'invalid_token');
  if (route.scope !== null && !fake.scopes.has(route.scope)) return refusedBearer(403, 'insufficient_scope');
  const id = route.path.exec(heard.path)?.[1] ?? '';
  const asked = { fake, heard, caller: holder, id, addressOf };
  if (holder.downloadsBelow !== null && !isDownloadBelow(asked, holder.downloadsBelow))
    return refusedBearer(403, 'insufficient_scope');
  const answer = route.answer(asked);
  if (route.type !== null && answer.status === 200)
    fake.outputs.push({ type: route.type, body: answer.body });
  if (answer.status >= 400) fake.outputs.push({ type: 'ClientError', body: answer.body });
  return answer;
}

/** Box refuses a token without a body: what is wrong is in the header (RFC 6750). */
const refusedBearer = (status: number, error: string): BoxAnswer => ({
  status,
  headers: { 'WWW-Authenticate': `Bearer realm="Service", error="${error}"` },
});

function isDownloadBelow({ fake: { world }, heard, id }: Asked, folderId: string): boolean {
  const file = world.items.get(`file/${id}`);
  if (!heard.path.endsWith('/content') || file === undefined) return false;
  return folderId === '0' || world.above(file).some((folder) => folder.id === folderId);
}

/** 404 for what is not there, is in the trash, or is not for this account. */
function ofItem(
  { fake: { world }, caller, id }: Asked,
  type: FakeItem['type'],
  answer: (item: FakeItem) => BoxAnswer,
): BoxAnswer {
  const item = world.items.get(`${type}/${id}`);
  const isShown = item !== undefined && !world.isTrashed(item) && sees(world, item, caller);
  return isShown ? answer(item) : failed(404, 'not_found');
}

const fieldsOf = ({ query }: Heard): string[] => (query.get('fields') ?? '').split(',');

const shown = ({ fake, caller, heard }: Asked, item: FakeItem) =>
  shownItem(fake.world, item, caller, fieldsOf(heard));

const chosen = (all: object, heard: Heard) => {
  const wanted = new Set(['type', 'id', 'etag', ...fieldsOf(heard)]);
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.has(name)));
};

const TYPES = ['folder', 'file', 'web_link'];

/** Folders first, then files, then links. A marker names the last entry and lives for a short time. */
function items({ fake, heard, caller, id }: Asked): BoxAnswer {
  const { world } = fake;
  const limit = Number(heard.query.get('limit') ?? 100);
  if (heard.query.get('usemarker') !== 'true' || limit > 1_000) return failed(400, 'bad_request');
  const keyOf = (item: FakeItem) => `${TYPES.indexOf(item.type)}/${item.id}`;
  const isIn = (item: FakeItem) =>
    id === '0'
      ? (item.parentId === '0' && item.ownerId === caller.userId) ||
        item.collaborations.some(({ userId, status }) => userId === caller.userId && status === 'accepted')
      : item.parentId === id;
  const all = [...world.items.values()]
    .filter((item) => isIn(item) && !world.isTrashed(item))
    .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const [after = '', givenAt = '0'] = Buffer.from(heard.query.get('marker') ?? '', 'base64url')
    .toString()
    .split(' ');
  if (heard.query.has('marker') && !(Number(givenAt) >= fake.markersSince && after !== ''))
    return failed(400, 'bad_request');
  const rest = all.filter((item) => keyOf(item) > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  const marker =
    rest.length > page.length && last !== undefined
      ? Buffer.from(`${keyOf(last)} ${Date.now()}`).toString('base64url')
      : null;
  const fields = fieldsOf(heard);
  const entries = page.map((item) => shownItem(world, item, caller, fields));
  return { status: 200, body: { entries, limit, ...(marker === null ? {} : { next_marker: marker }) } };
}

function collaborations({ fake: { world }, heard }: Asked, item: FakeItem): BoxAnswer {
  const limit = Number(heard.query.get('limit') ?? 100);
  const from = Number(heard.query.get('marker') ?? 0);
  const all = item.collaborations.map((each) => collaborationJson(world, each));
  const next = from + limit < all.length ? String(from + limit) : null;
  return { status: 200, body: { entries: all.slice(from, from + limit), limit, next_marker: next } };
}

/** The events of the whole enterprise. A place that is too old is taken for the oldest. */
function events({ fake: { world }, heard: { query } }: Asked): BoxAnswer {
  const from = world.placeIn(query.get('stream_position') ?? '0');
  const limit = Number(query.get('limit') ?? 100);
  if (from === null || limit > 500 || query.get('stream_type') !== 'admin_logs_streaming')
    return failed(400, 'bad_request');
  const types = (query.get('event_type') ?? '').split(',').filter((type) => type !== '');
  const taken = query.get('stream_position') === 'now' ? [] : world.deliver(from, limit);
  const entries = taken
    .filter(({ type }) => types.length === 0 || types.includes(type))
    .map(({ id, type, at, actor, source }) => {
      const user = world.users.get(actor);
      return {
        type: 'event',
        event_id: id,
        event_type: type,
        created_at: at,
        ...(user && { created_by: userMini(user) }),
        source,
      };
    });
  const next = world.positionOf(from + taken.length);
  return {
    status: 200,
    body: { chunk_size: entries.length, next_stream_position: next, entries },
  };
}

function content({ addressOf }: Asked, item: FakeItem): BoxAnswer {
  if (item.policy === 'malware') return failed(403, 'forbidden_by_policy', { policy_source: ['shield'] });
  if (item.policy === 'access_policy')
    return failed(403, 'forbidden_by_policy', {
      policy_source: ['shield'],
      policies: [{ source: 'shield', type: 'access_policy', message: 'Blocked by Shield Access Policy' }],
    });
  if (!item.canDownload) return failed(403, 'access_denied_insufficient_permissions');
  if (item.unready > 0) {
    item.unready -= 1;
    return { status: 202, headers: { 'retry-after': '1' } };
  }
  return { status: 302, headers: { location: addressOf(item.bytes) } };
}
