import { expect } from 'vitest';
import { sql } from '../../core/db/sql.ts';
import type { SignedIn, TestService } from './client.ts';
import type { TestDatabase } from './database.ts';
import { type ScriptedProvider, startScriptedProvider } from './scripted-provider.ts';
import { type ScriptedSignIn, scriptedSignIn } from './scripted-sign-in.ts';
import { DEV, PERSONA } from './seed.ts';
import { startSignInWorld } from './sign-in-world.ts';

export const PRINCIPALS = '/api/admin/principals';

export type Principal = {
  principalId: string;
  kind: string;
  displayName: string;
  title: string;
  department: string;
  email: string | null;
  status: string;
  roles: { role: string; source: string }[];
  identity: string;
  lastSignInAt: string | null;
};
export type Listed = { items: Principal[]; truncated: boolean; total: number; totalIsExact: boolean };
type Registered = { principalId: string; invitation: { code: string; expiresAt: string } | null };

/** The people of the development tenant, who sign in at a scripted provider. */
export type People = {
  database: TestDatabase;
  service: TestService;
  provider: ScriptedProvider;
  signIn: ScriptedSignIn;
  /** Settings of the mode `idp`, with some changed. */
  configure(changes?: Record<string, string>): Promise<void>;
  /** Signs in somebody of the fixture, whom the provider knows by the id that they have in the directory. */
  enter(principalId: string, userAgent?: string): Promise<SignedIn>;
  /** As the platform administrator; a name is given where the request has none. */
  register(request: object): Promise<Registered>;
  /** Type, actor and details of the events about somebody, in order. */
  auditOf(targetId: string): Promise<[type: string, actor: string | null, details: object][]>;
  /** All sessions that somebody ever had. */
  sessionsOf(principalId: string): Promise<{ sessionId: string; revoked: boolean }[]>;
  close(): Promise<void>;
};

/** @param settings of the service, beside those of the sign-in */
export async function governedPeople(settings: Record<string, string> = {}): Promise<People> {
  const world = await startSignInWorld();
  const { database, service } = world;
  const provider = await startScriptedProvider(service.clock.now);
  await world.bindTenant(provider.issuer);
  const configure = (changes: Record<string, string> = {}) =>
    world.configure(provider.issuer, { SVC_IDP_ROLES: 'auditors=auditor', ...settings, ...changes });
  await configure();
  const signIn = scriptedSignIn(service, provider);
  const enter = async (principalId: string, userAgent = 'test') => {
    const { person, status } = await signIn({ sub: principalId }, { userAgent });
    return person ?? expect.unreachable(`${principalId} is not let in: ${status}`);
  };
  return {
    ...{ database, service, provider, signIn, configure, enter },
    register: async (request) => {
      const admin = await enter(PERSONA.platformAdmin);
      const answer = await admin.post<Registered>(PRINCIPALS, { displayName: 'Somebody', ...request });
      expect(answer.status, answer.text).toBe(200);
      return answer.body;
    },
    auditOf: async (targetId) => {
      const rows = await database.inspect<{ record: string }>(sql`
        select record from audit_events
         where tenant_id = ${DEV} and record::jsonb #>> '{event,target,id}' = ${targetId} order by seq`);
      return rows.map(({ record }) => {
        const { type, principalId, details } = JSON.parse(record).event;
        return [type, principalId ?? null, details];
      });
    },
    sessionsOf: (principalId) =>
      database.inspect(sql`
        select session_id as "sessionId", revoked_at is not null as revoked from sessions
         where principal_id = ${principalId} order by session_id`),
    close: async () => {
      await world.close();
      await provider.close();
    },
  };
}
