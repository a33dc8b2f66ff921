import type { Token } from './tokens.ts';
import { tokensOf } from './tokens.ts';

/** What a name may be the name of, in the order in which an ambiguous name is read. */
export const NAME_KINDS = ['domain', 'type', 'scope', 'person', 'identifier', 'label'] as const;
export type NameKind = (typeof NAME_KINDS)[number];

type Named = { readonly id: string; readonly name: string };

/** Names that the asker may see, by what they are the names of. Nothing else of the tenant reaches a planner. */
export type Vocabulary = {
  readonly domains: readonly Named[];
  readonly types: readonly Named[];
  readonly labels: readonly Named[];
  readonly scopes: readonly Named[];
  /** The people of the visible domains, and who asks. */
  readonly people: readonly Named[];
  /** What detectors find. */
  readonly identifiers: readonly Named[];
};

export const namesOf = (vocabulary: Vocabulary): Readonly<Record<NameKind, readonly Named[]>> => ({
  domain: vocabulary.domains,
  type: vocabulary.types,
  scope: vocabulary.scopes,
  person: vocabulary.people,
  identifier: vocabulary.identifiers,
  label: vocabulary.labels,
});

/** A way to write a name. `capitals`: only in capitals, because it is an abbreviation. */
export type Alias = { kind: NameKind; id: string; tokens: readonly Token[]; capitals: boolean };

const PART_BREAK = /\s+(?:and|or)\s+|\s*[&/,;()]\s*/i;
const MAX_NAME_TOKENS = 8;

/**
 * All ways to write the names: whole; a part of `A and B`; the first or last name of a person; the initials of a
 * domain. A shortened way that two things have in common belongs to neither.
 */
export function aliasesOf(vocabulary: Vocabulary): Alias[] {
  const whole: Alias[] = [];
  const short: Alias[] = [];
  for (const [kind, named] of Object.entries(namesOf(vocabulary)) as [NameKind, readonly Named[]][]) {
    for (const { id, name } of named) {
      add(whole, { kind, id, tokens: tokensOf(name), capitals: false });
      if (kind === 'identifier')
        for (const written of identifierNames(id, name))
          add(whole, { kind, id, tokens: tokensOf(written), capitals: false });
      for (const part of shortened(kind, name))
        add(short, { kind, id, tokens: tokensOf(part), capitals: isInitials(part) });
    }
  }
  const owners = Map.groupBy(short, keyOf);
  const known = new Set(whole.map(keyOf));
  const unique = short.filter(
    (alias) => !known.has(keyOf(alias)) && new Set(owners.get(keyOf(alias))?.map(({ id }) => id)).size === 1,
  );
  return [...whole, ...unique];
}

const keyOf = ({ tokens }: Alias): string => tokens.map(({ text }) => text).join(' ');
const isInitials = (part: string): boolean => /^\p{Lu}{2,5}$/u.test(part);

function add(aliases: Alias[], alias: Alias): void {
  if (alias.tokens.length > 0 && alias.tokens.length <= MAX_NAME_TOKENS) aliases.push(alias);
}

/** The id of a detector is how people call what it finds: `iban`, `credit card number`. */
function identifierNames(id: string, title: string): string[] {
  const called = id.replaceAll('_', ' ');
  const short = id === 'email_address' ? ['email', 'e mail'] : [];
  return [called, `${called} number`, title.replace(/ number$/i, ''), ...short];
}

function shortened(kind: NameKind, name: string): string[] {
  if (kind === 'person') {
    const words = name.trim().split(/\s+/);
    return words.length < 2 ? [] : [words[0] ?? '', words.at(-1) ?? ''];
  }
  if (kind === 'label' || kind === 'scope') return [];
  const parts = name.split(PART_BREAK).filter((part) => part.trim() !== '');
  const initials = (name.match(/(?<![\p{L}])\p{Lu}/gu) ?? []).join('');
  return [
    ...(parts.length > 1 ? parts : []),
    ...(kind === 'domain' && isInitials(initials) ? [initials] : []),
  ];
}
