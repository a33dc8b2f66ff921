import { z } from 'zod';
import type { AddressBook, Directory, DirectoryPerson, ListedPerson } from '../connectors/directory.ts';
import { type Db, type Tx, withTx } from '../db/tx.ts';
import { mailIn } from '../kernel/account-name.ts';
import { notFound, ServiceError } from '../kernel/errors.ts';
import type { TenantId } from '../kernel/ids.ts';
import { listOf } from '../kernel/list.ts';
import { fold } from '../kernel/words.ts';
import {
  addressBooksFor,
  askAddressBook,
  askDirectory,
  type DirectoryParts,
} from '../people/ask-directory.ts';
import { nomineesOf } from './nominees.ts';
import {
  directoryKey,
  domainInWords,
  type KnownPerson,
  knownPeople,
  type OwnerEvidence,
  ownerEvidence,
  type SourceTrace,
} from './owner-evidence.sql.ts';
import { OwnerKindSchema } from './owners.ts';
import { type DirectoryLinks, mostActive, REASON_KINDS, rankOwners } from './rank-owners.ts';
import { createMatcher } from './source-identity.ts';

const PEOPLE = 20;
const STRANGERS = 10;
const LOOK_UPS = 40;
/** People whose managers are looked up. */
const MANAGED = 20;
/** People and groups are looked up at once, managers after them. */
const LOOK_UP_WITHIN_MS = 3_000;

const ReasonSchema = z.object({
  kind: z.enum(REASON_KINDS),
  text: z.string(),
  /** Number of assets; of people, where they are managed; of words in the title and department. */
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

/** `note` says why nobody is suggested, or what the directory could not answer; null where neither is so. */
export const OwnerSuggestionsSchema = listOf(OwnerSuggestionSchema).extend({ note: z.string().nullable() });

const NOBODY =
  'Nothing speaks for anybody: nobody confirmed, changed or may write to an asset of the domain or owns a group that ' +
  'may, and no title or department shares a word with it. Assign whom you know.';

/** What the assets of a domain say, and what the directory says of the people and groups that they name. */
export type Gathered = {
  domain: { name: string; description: string };
  evidence: OwnerEvidence;
  found: readonly DirectoryPerson[];
  /** Whom sources list beside the directory. */
  listed: readonly ListedPerson[];
  links: DirectoryLinks;
  /** Which evidence the directory did not give, and why; null where it gave all. */
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
  const identities = unmatched(known, evidence.traces);
  const groups = evidence.groups.map(directoryKey);
  const ofDirectory = <T>(what: string, some: readonly string[], none: T, ask: AskDirectory<T>) =>
    lookUp(what, none, () =>
      askDirectory(parts, LOOK_UP_WITHIN_MS, async (directory, signal) =>
        some.length === 0 ? none : ask(directory, signal),
      ),
    );
  const [behind, owners, listed, listedOwners] = await Promise.all([
    ofDirectory('people whom the assets name', identities, [], (directory, signal) =>
      directory.peopleBehind(identities, signal),
    ),
    ofDirectory('owners of groups', groups, new Map(), (directory, signal) =>
      directory.ownersOfGroups(groups, signal),
    ),
    ...lookUpListed(parts, identities, evidence),
  ]);
  const active = mostActive(nomineesOf(known, behind.found), evidence, MANAGED);
  const managers = await ofDirectory('managers', active, new Map(), (directory, signal) =>
    directory.managersOf(active, signal),
  );
  const ownersOf = new Map<string, readonly (DirectoryPerson | ListedPerson)[]>(owners.found);
  for (const [group, people] of listedOwners.flatMap(({ found }) => [...found]))
    ownersOf.set(group, [...(ownersOf.get(group) ?? []), ...people]);
  return {
    domain,
    evidence,
    found: [...behind.found, ...[...owners.found.values()].flat(), ...managers.found.values()],
    listed: [
      ...listed.flatMap(({ found }) => found),
      ...listedOwners.flatMap(({ found }) => [...found.values()].flat()),
    ],
    links: { ownersOf, managerOf: managers.found },
    note: noteOf([behind, owners, ...listed, ...listedOwners, managers]),
  };
}

type AskDirectory<T> = (directory: Directory, signal: AbortSignal) => Promise<T>;
type LookedUp<T> = { found: T; lost: { what: string; why: string } | null };

/**
 * What address books say of the people and of the groups that the assets name. A source may allow to ask for one of them
 * alone. A group of Box is a number, and an address elsewhere.
 */
function lookUpListed(parts: DirectoryParts, identities: readonly string[], evidence: OwnerEvidence) {
  const addresses = identities.flatMap((identity) => mailIn(identity) ?? []);
  const groups = evidence.groups
    .filter(({ groupId, name }) => groupId !== null || mailIn(name) !== null)
    .map(directoryKey);
  const ofBooks = <T>(what: string, none: T, ask: (book: AddressBook, signal: AbortSignal) => Promise<T>) =>
    Promise.all(
      addressBooksFor(parts).map((book) =>
        lookUp(what, none, () =>
          askAddressBook(parts, LOOK_UP_WITHIN_MS, none, (signal) => ask(book, signal)),
        ),
      ),
    );
  return [
    ofBooks<ListedPerson[]>('people whom a source lists', [], (book, signal) =>
      book.peopleAt(addresses, signal),
    ),
    ofBooks<ReadonlyMap<string, ListedPerson[]>>('owners of groups of a source', new Map(), (book, signal) =>
      book.ownersOfGroups(groups, signal),
    ),
  ] as const;
}

/** Without an answer, what is `found` is `none` and the evidence is lost. */
async function lookUp<T>(what: string, none: T, ask: () => Promise<T>): Promise<LookedUp<T>> {
  try {
    return { found: await ask(), lost: null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { found: none, lost: { what, why: error.message } };
  }
}

/** What was not looked up, by the reason for it. */
function noteOf(lookedUp: readonly LookedUp<unknown>[]): string | null {
  const byReason = Map.groupBy(
    lookedUp.flatMap(({ lost }) => lost ?? []),
    ({ why }) => why,
  );
  const notes = [...byReason].map(
    ([why, lost]) => `Not looked up: ${lost.map(({ what }) => what).join(', ')}. ${why}`,
  );
  return notes.length === 0 ? null : notes.join(' ');
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
  { domain, evidence, found, listed, links, note }: Gathered,
): Promise<z.infer<typeof OwnerSuggestionsSchema>> {
  const foundIds = found.map(({ directoryId }) => directoryId);
  // Read now, so that nobody who was registered meanwhile is taken for a stranger.
  const nominees = nomineesOf(await knownPeople(tx, domainId, foundIds), found, listed);
  const suggestions = rankOwners(domain, nominees, evidence, links);
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
