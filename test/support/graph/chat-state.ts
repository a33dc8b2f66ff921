import { guidOf } from './ids.ts';

/** Kinds of accounts, as the documentation names them (`teamworkUserIdentity`). */
export type AccountKind = 'aadUser' | 'anonymousGuest' | 'federatedUser' | 'personalMicrosoftAccountUser';

export type ChatAuthor = { id: string; displayName: string; kind: AccountKind; tenantId: string };

export type ChatAttachment = {
  id: string;
  contentType: string;
  contentUrl: string | null;
  content: string | null;
  name: string | null;
};

export type ChatMessage = {
  /** The milliseconds at which it was sent. */
  id: string;
  rootId: string | null;
  createdAt: number;
  /** Moves on any change, also on a reaction. */
  modifiedAt: number;
  editedAt: number | null;
  deletedAt: number | null;
  type: 'message' | 'systemEventMessage';
  author: ChatAuthor | null;
  subject: string | null;
  html: string;
  attachments: ChatAttachment[];
  reactions: ChatAuthor[];
};

export type TeamMember = {
  id: string;
  displayName: string;
  role: 'owner' | 'guest' | null;
  tenantId: string;
};

export type Channel = {
  id: string;
  name: string;
  kind: 'standard' | 'private' | 'shared';
  tenantId: string;
  teamId: string;
  createdAt: number;
  /** Of a private or shared channel. A standard one has those of its team. */
  members: TeamMember[];
  /** Roots by id, and the replies to each. */
  roots: Map<string, ChatMessage>;
  replies: Map<string, ChatMessage[]>;
  /** The root of each change, oldest first. The place of a change is its index. */
  log: string[];
  /** The latest place of each root. */
  changed: Map<string, number>;
  /** Delta tokens of an earlier epoch are gone. */
  epoch: number;
  /** The latest time of a message or a change. */
  lastAt: number;
  /** What the service answers to everything that is asked of its messages. */
  refusal: 'denied' | 'gone' | null;
  /** Null until somebody opens its files. */
  folder: { driveId: string; itemId: string } | null;
  /** Whether a call made the site of a private or shared channel, which only people should do. */
  madeSite: boolean;
};

export type Team = {
  id: string;
  name: string;
  visibility: 'private' | 'public';
  createdAt: number;
  members: TeamMember[];
  channels: Channel[];
  /** Channels that other teams share with it. */
  incoming: Channel[];
};

type MemberSpec = { name: string; role?: 'owner' | 'guest'; tenant?: string };

/** A team before anything happened in it. */
export type TeamSpec = {
  name: string;
  visibility?: 'private' | 'public';
  members?: readonly MemberSpec[];
  channels: readonly {
    name: string;
    kind?: Channel['kind'];
    members?: readonly MemberSpec[];
    /** Names of teams to which it is shared. */
    sharedWith?: readonly string[];
  }[];
  /** The organization that hosts it, if it is not this one. Such a team is seen by its shared channels alone. */
  tenant?: string;
};

const tenantIdOf = (name: string): string => guidOf(`tenant/${name}`);

export function teamsOf(specs: readonly TeamSpec[], tenantName: string, now: number): Map<string, Team> {
  const teams = specs.map((spec) => ({ spec, team: teamOf(spec, tenantName, now) }));
  for (const { spec, team } of teams) {
    for (const [at, { sharedWith = [] }] of spec.channels.entries()) {
      const channel = team.channels[at];
      const guests = teams.filter(({ spec: { name } }) => sharedWith.includes(name));
      if (channel !== undefined) for (const guest of guests) guest.team.incoming.push(channel);
    }
  }
  const own = teams.filter(({ spec }) => (spec.tenant ?? tenantName) === tenantName);
  return new Map(own.map(({ team }) => [team.id, team]));
}

function teamOf(
  { name, visibility = 'private', members = [], channels, tenant }: TeamSpec,
  tenantName: string,
  now: number,
): Team {
  const host = tenant ?? tenantName;
  const key = `${host}/team/${name}`;
  const people = (specs: readonly MemberSpec[]) =>
    specs.map((member) => ({
      ...{ id: guidOf(`person/${member.name}`), displayName: member.name, role: member.role ?? null },
      tenantId: tenantIdOf(member.tenant ?? tenantName),
    }));
  const team = { ...{ id: guidOf(key), name, visibility, createdAt: now }, members: people(members) };
  return {
    ...team,
    channels: channels.map(({ name: channel, kind = 'standard', members: own = [] }) => ({
      id: `19:${guidOf(`${key}/${channel}`).replaceAll('-', '')}@thread.tacv2`,
      ...{ name: channel, kind, tenantId: tenantIdOf(host), teamId: team.id, createdAt: now },
      ...{
        members: people(own),
        roots: new Map(),
        replies: new Map(),
        log: [],
        changed: new Map(),
        epoch: 1,
        lastAt: 0,
      },
      ...{ refusal: null, folder: null, madeSite: false },
    })),
    incoming: [],
  };
}
