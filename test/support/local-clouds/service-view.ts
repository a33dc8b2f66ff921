import type { Grant } from '../../../core/connectors/connector.ts';
import { createPool } from '../../../core/db/pool.ts';
import { sql } from '../../../core/db/sql.ts';
import { type Db, type Tx, withTx } from '../../../core/db/tx.ts';
import { type Exposure, exposureOf } from '../../../core/findings/exposure.ts';
import { type Inaccessible, inaccessibleOf } from '../../../core/findings/inaccessible-scope.sql.ts';
import type { TenantId } from '../../../core/kernel/ids.ts';

/** What the service knows of a file. Null fields are not known. */
export type KnownItem = {
  state: 'active' | 'deleted';
  path: string;
  contentState: string;
  label: string | null;
  exposure: Exposure | null;
  findings: readonly string[];
};

/** What the service knows of a library. */
export type KnownLibrary = {
  coverage: string | null;
  inaccessible: Inaccessible;
  subscription: string | null;
  items: ReadonlyMap<string, KnownItem>;
};

/** What the service knows of each library, by its id at the source. */
export type ServiceView = ReadonlyMap<string, KnownLibrary>;

/** Reads the database of the service as it is at each call. */
export function serviceViews(databaseUrl: string, tenantId: TenantId) {
  const db: Db = createPool(databaseUrl, { max: 1, applicationName: 'fake-page' });
  return {
    read: (): Promise<ServiceView> => withTx(db, { tenantId, mode: 'read' }, viewOf),
    close: () => db.close(),
  };
}

type LibraryRow = Omit<KnownLibrary, 'items'> & { libraryId: string };
type ItemRow = Omit<KnownItem, 'exposure' | 'label'> & {
  libraryId: string;
  itemId: string;
  labelState: string;
  labelName: string | null;
  grants: Grant[] | null;
};

async function viewOf(tx: Tx): Promise<ServiceView> {
  const libraries = await tx.query<LibraryRow>(sql`
    select s.external_id as "libraryId", s.coverage_state as coverage, ${inaccessibleOf(sql`s`)} as inaccessible,
           (select concat_ws(', ', status, last_error) from change_subscriptions c
             where c.tenant_id = s.tenant_id and c.scope_id = s.scope_id and not forced and status is not null)
             as subscription
      from scopes s where s.tenant_id = ${tx.tenantId}`);
  const items = await tx.query<ItemRow>(sql`
    select s.external_id as "libraryId", a.external_id as "itemId", a.status as state, a.path,
           a.content_state as "contentState", a.label_state as "labelState", a.label_name as "labelName", a.grants,
           array(select concat_ws(' ', f.kind, f.severity) from findings f
                  where f.tenant_id = a.tenant_id and f.asset_id = a.asset_id and f.status <> 'resolved'
                  order by f.severity_rank desc, f.kind) as findings
      from assets a join scopes s using (tenant_id, scope_id) where a.tenant_id = ${tx.tenantId}`);
  const byLibrary = Map.groupBy(items, ({ libraryId }) => libraryId);
  return new Map(
    libraries.map(({ libraryId, ...library }) => [
      libraryId,
      { ...library, items: new Map((byLibrary.get(libraryId) ?? []).map((row) => [row.itemId, known(row)])) },
    ]),
  );
}

const known = ({ libraryId: _, itemId: __, labelState, labelName, grants, ...row }: ItemRow): KnownItem => ({
  ...row,
  label: labelState === 'labeled' ? labelName : labelState === 'unlabeled' ? '' : null,
  exposure: exposureOf(grants ?? []),
});
