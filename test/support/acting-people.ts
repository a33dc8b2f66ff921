import { expect } from 'vitest';
import type { ActionDetail } from '../../core/actions/action-schema.ts';
import { sql } from '../../core/db/sql.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import { ROLES } from '../../core/kernel/vocabulary.ts';
import { LABEL_CATALOG } from '../../infra/local/fixture/label-catalog.ts';
import { addOwner } from './add-owner.ts';
import { type Answer, type SignedIn, startService, type TestService } from './client.ts';
import type { TestDatabase } from './database.ts';
import { DEV, PERSONA } from './seed.ts';
import { createScannedDatabase } from './seeded-database.ts';

export type Listed<T> = { items: T[]; truncated: boolean };
type Item = { externalId: string; labelGuid: string | null; revision: number; modifiedBy: string };
type Site = 'site-people' | 'site-legal';

export const HIGHEST_LABEL = LABEL_CATALOG[3].guid;

/** The people of the fixture tenant who request actions and decide on them, over HTTP. */
export type ActingPeople = {
  database: TestDatabase;
  service: TestService;
  admin: SignedIn;
  /** The owner of the people's domain. */
  owner: SignedIn;
  otherOwner: SignedIn;
  approver: SignedIn;
  auditor: SignedIn;
  /** Owns the legal domain and has every role. */
  everybody: SignedIn;
  scan(site: Site, kind: 'inventory' | 'delta'): Promise<void>;
  /** The current item of an asset at its source. */
  itemOf(assetId: string): Promise<Item>;
  mutate(assetId: string, body: object): Promise<Answer>;
  /**
   * An unlabelled asset with a question for a domain of the owner and none for the finance domain. Each asset is
   * returned once.
   */
  unlabeled(who: SignedIn): Promise<string>;
  /** A new person who owns the people's domain that the asset belongs to. */
  colleague(principalId: string, assetId: string): Promise<SignedIn>;
  /** Requests the highest label, or what `more` says. */
  draft(who: SignedIn, assetId: string, more?: object): Promise<Answer<ActionDetail>>;
  submit(who: SignedIn, actionId: string): Promise<Answer<ActionDetail>>;
  /** Drafts and submits an action. */
  submitted(who: SignedIn, assetId: string, more?: object): Promise<ActionDetail>;
  decide(who: SignedIn, actionId: string, body?: object): Promise<Answer<ActionDetail>>;
  /** Marks an asset as used. */
  take(assetId: string): boolean;
  close(): Promise<void>;
};

export async function startActingPeople(): Promise<ActingPeople> {
  const database = await createScannedDatabase();
  await database.inspect(sql`
    insert into principal_roles (tenant_id, principal_id, role)
    select ${DEV}, ${PERSONA.legalOwner}, role from unnest(${[...ROLES]}::text[]) as r (role)
    on conflict do nothing`);
  const service = await startService(database, { SVC_DATABASE_POOL_SIZE: '20' });
  const admin = await service.signInAs(PERSONA.platformAdmin);
  const sites: Readonly<Record<string, Site>> = {
    [PERSONA.peopleOwner]: 'site-people',
    [PERSONA.legalOwner]: 'site-legal',
  };
  const taken = new Set<string>();
  const take = (assetId: string) => !taken.has(assetId) && taken.add(assetId).has(assetId);

  const people: ActingPeople = {
    database,
    service,
    admin,
    owner: await service.signInAs(PERSONA.peopleOwner),
    otherOwner: await service.signInAs(PERSONA.financeOwner),
    approver: await service.signInAs(PERSONA.approver),
    auditor: await service.signInAs(PERSONA.auditor),
    everybody: await service.signInAs(PERSONA.legalOwner),
    take,
    scan: async (site, kind) => {
      const { items } = (await admin.get<Listed<{ scopeId: string; externalId: string }>>('/api/sources'))
        .body;
      const scopeId = items.find((each) => each.externalId === site)?.scopeId;
      expect((await admin.post('/api/scans', { scopeId, kind })).status).toBe(200);
      await service.drain();
    },
    itemOf: async (assetId) => {
      const [row] = await database.inspect<Item>(sql`
        select a.external_id as "externalId", i.item ->> 'labelGuid' as "labelGuid",
               (i.item ->> 'metadataRevision')::int as revision, i.item ->> 'modifiedBy' as "modifiedBy"
          from assets a join scopes s using (tenant_id, scope_id)
          join fixture_items i
            on i.tenant_id = a.tenant_id and i.scope_external_id = s.external_id and i.external_id = a.external_id
         where a.tenant_id = ${DEV} and a.asset_id = ${assetId}`);
      return row ?? expect.unreachable('no such item');
    },
    mutate: async (assetId, body) => {
      const { externalId: fileId } = await people.itemOf(assetId);
      return admin.post('/api/dev/fixture/mutate', { scopeExternalId: 'site-people', fileId, ...body });
    },
    unlabeled: async ({ principalId }) => {
      const rows = await database.inspect<{ assetId: string }>(sql`
        select a.asset_id as "assetId"
          from assets a join scopes s using (tenant_id, scope_id)
         where a.tenant_id = ${DEV} and s.external_id = ${sites[principalId] ?? ''} and a.status = 'active'
           and a.label_state = 'unlabeled'
           and exists (select from candidates k join owner_assignments o using (tenant_id, domain_id)
                        where k.tenant_id = ${DEV} and k.asset_id = a.asset_id and k.status = 'pending'
                          and o.principal_id = ${principalId})
           and not exists (select from candidates k
                            where k.tenant_id = ${DEV} and k.asset_id = a.asset_id and k.domain_id = 'dom_finance')
         order by a.asset_id`);
      return rows.find(({ assetId }) => take(assetId))?.assetId ?? expect.unreachable('no asset is left');
    },
    colleague: async (principalId, assetId) => {
      const [of] = await database.inspect<{ domainId: DomainId }>(sql`
        select k.domain_id as "domainId" from candidates k join owner_assignments o using (tenant_id, domain_id)
         where k.asset_id = ${assetId} and k.status = 'pending' and o.principal_id = ${PERSONA.peopleOwner}`);
      const { domainId } = of ?? expect.unreachable('no such asset');
      await addOwner(database, principalId, { roles: ['domain_owner'], domainId });
      return service.signInAs(principalId);
    },
    draft: (who, targetAssetId, more = {}) =>
      who.post<ActionDetail>('/api/actions', {
        kind: 'sensitivity_label_set',
        targetAssetId,
        justification: 'The content calls for this label.',
        desiredLabelGuid: HIGHEST_LABEL,
        ...more,
      }),
    submit: (who, actionId) => who.post<ActionDetail>(`/api/actions/${actionId}/submit`),
    submitted: async (who, assetId, more) => {
      const drafted = await people.draft(who, assetId, more);
      expect(drafted).toMatchObject({ status: 200, body: { status: 'draft' } });
      const answer = await people.submit(who, drafted.body.actionId);
      expect(answer).toMatchObject({ status: 200, body: { status: 'awaiting_approval' } });
      return answer.body;
    },
    decide: (who, actionId, body = { decision: 'approve' }) =>
      who.post<ActionDetail>(`/api/actions/${actionId}/approval`, body),
    close: async () => {
      await service.close();
      await database.drop();
    },
  };
  await people.scan('site-legal', 'inventory');
  return people;
}

export const expectRefused = (answer: Answer, status: number, error: string) =>
  expect(answer).toMatchObject({ status, body: { error } });
