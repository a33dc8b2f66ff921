import { z } from 'zod';
import { type Principal, visibilityOf } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { assetsByName } from '../search/assets-by-name.sql.ts';
import {
  domainsByName,
  type NamedThing,
  principalsByName,
  scopesByName,
  typesByName,
} from './named-things.sql.ts';

const MOST = 10;

/** In the order of the answer. */
const KINDS = ['domain', 'information_type', 'scope', 'principal', 'asset'] as const;
type Kind = (typeof KINDS)[number];

export const SuggestionSchema = z.object({
  kind: z.enum(KINDS),
  id: z.string(),
  name: z.string(),
  within: z
    .string()
    .nullable()
    .describe(
      'Of an asset its scope, of a type its domain, of a scope its source, of a person their department',
    ),
  detail: z
    .string()
    .nullable()
    .describe(
      'Of an asset its path, of a scope its id in the source, of a person their e-mail address or title',
    ),
});
type Suggestion = z.infer<typeof SuggestionSchema>;

/** What the caller may list and what is named so; at most ten. Each kind has as many as there is room for. */
export async function suggest(tx: Tx, principal: Principal, q: string): Promise<Suggestion[]> {
  const taxonomy = visibilityOf(principal, 'governance.taxonomy.read');
  const scopes = visibilityOf(principal, 'scan.job.read');
  const people = visibilityOf(principal, 'principal.read');
  const assets = visibilityOf(principal, 'asset.metadata.read');
  const found: Record<Kind, NamedThing[]> = {
    domain: taxonomy === null ? [] : await domainsByName(tx, taxonomy, q, MOST),
    information_type: taxonomy === null ? [] : await typesByName(tx, taxonomy, q, MOST),
    scope: scopes === null ? [] : await scopesByName(tx, scopes, q, MOST),
    principal: people === null ? [] : await principalsByName(tx, q, MOST),
    asset:
      assets === null
        ? []
        : (await assetsByName(tx, assets, q, MOST)).map(({ assetId, name, scopeName, path }) => ({
            id: assetId,
            name,
            within: scopeName,
            detail: path,
          })),
  };
  const shares = sharesOf(found);
  return KINDS.flatMap((kind) => found[kind].slice(0, shares[kind]).map((thing) => ({ kind, ...thing })));
}

/** How many of each kind are shown: one of each in turn, until there are ten or no more. */
function sharesOf(found: Record<Kind, readonly unknown[]>): Record<Kind, number> {
  const shares = { domain: 0, information_type: 0, scope: 0, principal: 0, asset: 0 };
  const turns = Array.from({ length: MOST }, () => KINDS).flat();
  let left = MOST;
  for (const kind of turns) {
    if (left === 0) break;
    if (shares[kind] === found[kind].length) continue;
    shares[kind] += 1;
    left -= 1;
  }
  return shares;
}
