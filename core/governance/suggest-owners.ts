import { z } from 'zod';
import type { DirectoryPerson } from '../connectors/directory.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { listOf } from '../kernel/list.ts';
import { fold } from '../kernel/words.ts';
import { askDirectory, type DirectoryParts } from '../people/ask-directory.ts';
import { nomineesOf } from './nominees.ts';
import {
  domainInWords,
  type KnownPerson,
  knownPeople,
  type OwnerEvidence,
  ownerEvidence,
  type SourceTrace,
} from './owner-evidence.sql.ts';
import { OwnerKindSchema } from './owners.ts';
import { REASON_KINDS, rankOwners } from './rank-owners.ts';
import { createMatcher } from './source-identity.ts';

const PEOPLE = 20;
const STRANGERS = 10;
const LOOK_UPS = 40;
const LOOK_UPS_WITHIN_MS = 4_000;

const ReasonSchema = z.object({
  kind: z.enum(REASON_KINDS),
  text: z.string(),
  /** Number of assets, or of words in the title and department. */
  count: z.int(),
});

/**
 * `principalId` is null for somebody who is not known to the service. Then `directoryId` is null too for somebody whom
 * only a source knows, and the name is the source's.
 */
export const OwnerSuggestionSchema = z.object({
  principalId: z.string().nullable(),
  directoryId: z.string().nullable(),
  displayName: z.string(),
  score: z.number(),
  holdsRole: z.boolean(),
  currentKinds: z.array(OwnerKindSchema),
  reasons: z.array(ReasonSchema),
});

/** `note` says why nobody is suggested, or why nobody was looked up in the directory; null where neither is so. */
export const OwnerSuggestionsSchema = listOf(OwnerSuggestionSchema).extend({ note: z.string().nullable() });

const NOBODY =
  'Nothing speaks for anybody: nobody confirmed, changed or may write to an asset of the domain, and no title or ' +
  'department shares a word with it. Assign whom you know.';

/** What the assets of a domain say, and whom the directory knows of those that they name. */
export type Gathered = {
  domain: { name: string; description: string };
  evidence: OwnerEvidence;
  found: readonly DirectoryPerson[];
  /** Why nobody was looked up in the directory; null where that is not so. */
  note: string | null;
};

/** Reads the evidence and then asks the directory, outside of any transaction. Throws `not_found`. */
export async function gatherEvidence(
  parts: DirectoryParts & { db: Db },
  tenantId: TenantId,
  domainId: string,
): Promise<Gathered> {
  const { domain, evidence, known } = await withTx(parts.db, { tenantId, mode: 'read' }, async (tx) => {
    const domain = await domainInWords(tx, domainId);
    if (domain === null) throw notFound();
    return {
      domain,
      evidence: await ownerEvidence(tx, domainId),
      known: await knownPeople(tx, domainId, []),
    };
  });
  return { domain, evidence, ...(await lookUp(parts, unmatched(known, evidence.traces))) };
}

async function lookUp(
  parts: DirectoryParts,
  identities: readonly string[],
): Promise<{ found: readonly DirectoryPerson[]; note: string | null }> {
  try {
    const found = await askDirectory(parts, LOOK_UPS_WITHIN_MS, async (directory, signal) =>
      identities.length === 0 ? [] : directory.peopleBehind(identities, signal),
    );
    return { found, note: null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { found: [], note: error.message };
  }
}

/** The identities that mean nobody known, at most 40: those that the most assets name. */
export function unmatched(known: readonly KnownPerson[], traces: readonly SourceTrace[]): string[] {
  const match = createMatcher(nomineesOf(known, []));
  const strangers = traces.filter(({ identity }) => match(identity) === null);
  const spellings = [...Map.groupBy(strangers, ({ identity }) => fold(identity)).values()].map((same) => ({
    identity: same[0]?.identity ?? '',
    assets: same.reduce((sum, { confirmed, inferred }) => sum + confirmed + inferred, 0),
  }));
  return spellings
    .sort((a, b) => b.assets - a.assets)
    .slice(0, LOOK_UPS)
    .map(({ identity }) => identity);
}

/** Who may own a domain, the likeliest first; nobody for whom nothing speaks. */
export async function suggestOwners(
  tx: Tx,
  domainId: string,
  { domain, evidence, found, note }: Gathered,
): Promise<z.infer<typeof OwnerSuggestionsSchema>> {
  const foundIds = found.map(({ directoryId }) => directoryId);
  // Read now, so that nobody who was registered meanwhile is taken for a stranger.
  const nominees = nomineesOf(await knownPeople(tx, domainId, foundIds), found);
  const suggestions = rankOwners(domain, nominees, evidence);
  const isPerson = ({ principalId, directoryId }: z.infer<typeof OwnerSuggestionSchema>) =>
    principalId !== null || directoryId !== null;
  const people = suggestions.filter(isPerson);
  const strangers = suggestions.filter((each) => !isPerson(each));
  const notes = [...(suggestions.length === 0 ? [NOBODY] : []), ...(note === null ? [] : [note])];
  return {
    items: [...people.slice(0, PEOPLE), ...strangers.slice(0, STRANGERS)],
    truncated: people.length > PEOPLE || strangers.length > STRANGERS,
    note: notes.length === 0 ? null : notes.join(' '),
  };
}
