import { sql } from '../../core/db/sql.ts';
import type { Endpoint } from '../../core/http/declaration.ts';
import type { DomainId } from '../../core/kernel/ids.ts';
import type { TestDatabase } from './database.ts';
import { type IdKind, keptAt } from './id-kinds.ts';
import { guardedEndpoints, type Persona, reachOf } from './leak-worlds.ts';
import { idSlotsOf } from './request-samples.ts';
import { DEV } from './seed.ts';
import { IMAGE_TENANT } from './tenant-image.ts';

/** The ids of a kind in a tenant, with the domains of each. */
type Ids = {
  own: readonly { id: string; domains: readonly DomainId[] }[];
  ofOtherTenant: readonly string[];
};

/** The ids in a database, by who may see them. */
export type KnownIds = {
  /** All kinds that a request can contain. */
  kinds: readonly IdKind[];
  /** Ids of the kind that the endpoint shows to the persona. */
  visible(persona: Persona, endpoint: Endpoint, kind: IdKind): string[];
  /**
   * Ids of the kind in the persona's tenant that they must not see: one that belongs to a domain, and one that
   * belongs to none.
   */
  foreign(persona: Persona, endpoint: Endpoint, kind: IdKind): string[];
  ofOtherTenant(kind: IdKind): readonly string[];
};

/** Reads the ids of the seeded tenant and, if it exists, of its image. */
export async function readKnownIds(database: TestDatabase): Promise<KnownIds> {
  const kinds = [
    ...new Set(guardedEndpoints().flatMap((endpoint) => idSlotsOf(endpoint).map(({ kind }) => kind))),
  ];
  const ids = new Map<IdKind, Ids>();
  for (const kind of kinds) ids.set(kind, await idsOf(database, kind));
  const own = (kind: IdKind) => ids.get(kind)?.own ?? [];
  const limited = (persona: Persona, endpoint: Endpoint, kind: IdKind) =>
    reachOf(persona, endpoint) === 'domains' && keptAt(kind).domains !== undefined;
  const theirs = (persona: Persona, domains: readonly DomainId[]) =>
    domains.some((domain) => persona.ownedDomains.includes(domain));
  return {
    kinds,
    visible: (persona, endpoint, kind) =>
      own(kind)
        .filter(({ domains }) => !limited(persona, endpoint, kind) || theirs(persona, domains))
        .map(({ id }) => id),
    foreign: (persona, endpoint, kind) => {
      if (!limited(persona, endpoint, kind)) return [];
      const foreign = own(kind).filter(({ domains }) => !theirs(persona, domains));
      const tied = foreign.filter(({ domains }) => domains.length > 0);
      const untied = foreign.filter(({ domains }) => domains.length === 0);
      return [...tied.slice(0, 1), ...untied.slice(0, 1)].map(({ id }) => id);
    },
    ofOtherTenant: (kind) => ids.get(kind)?.ofOtherTenant ?? [],
  };
}

async function idsOf(database: TestDatabase, kind: IdKind): Promise<Ids> {
  const { table, column, domains, natural } = keptAt(kind);
  const id = sql.ident(column);
  const ofTenant = (tenantId: string) =>
    database.inspect<{ id: string }>(
      sql`select ${id} as id from ${sql.ident(table)} where tenant_id = ${tenantId} and ${id} is not null order by 1`,
    );
  const ties =
    domains === undefined ? [] : await database.inspect<{ id: string; domain_id: DomainId }>(domains(DEV));
  const tiesOf = Map.groupBy(ties, (tie) => tie.id);
  return {
    own: (await ofTenant(DEV)).map(({ id }) => ({
      id,
      domains: [...new Set((tiesOf.get(id) ?? []).map((tie) => tie.domain_id))],
    })),
    ofOtherTenant: natural ? [] : (await ofTenant(IMAGE_TENANT)).map(({ id }) => id),
  };
}
