import type { ColumnText } from '../../kernel/table-text.ts';
import type { Reading } from '../detector.ts';
import { namesInKnownTable } from './fields.ts';
import { findAddresses } from './find-addresses.ts';
import { findNames, type Names } from './find-names.ts';
import { readLetterHeads } from './letter-heads.ts';
import { merged, overlapping, type Span } from './spans.ts';
import { betweenSlices, type Slice, tokenize } from './tokens.ts';

const KEY = Symbol('names and addresses');
const NOTHING: NamesAndAddresses = { person: [], place: [], organization: [], address: [], doubtful: [] };

/** The names and addresses of a text, found once for all four detectors. */
export type NamesAndAddresses = Names & { readonly address: readonly Span[] };

/**
 * Reads at most 16 kB of a text. In a longer text the results are a lower bound.
 * @param columns those of the table that the text is of; null if it is of none
 */
export function readNames(text: string, columns: readonly ColumnText[] | null = null): NamesAndAddresses {
  const [first = NOTHING, ...others] = tokenize(text, columns).map(readSlice);
  if (others.length === 0) return first;
  const slices = [first, ...others];
  return {
    person: slices.flatMap(({ person }) => person),
    place: slices.flatMap(({ place }) => place),
    organization: slices.flatMap(({ organization }) => organization),
    address: slices.flatMap(({ address }) => address),
    doubtful: slices.flatMap(({ doubtful }) => doubtful),
  };
}

function readSlice(slice: Slice): NamesAndAddresses {
  const address = findAddresses(slice);
  const { person, place, organization, doubtful } = findNames(slice, address);
  if (address.length === 0) return { person, place, organization, address, doubtful };
  const heads = readLetterHeads(slice, address, person);
  const isOfHead = (span: Span) =>
    overlapping(heads.place, span) !== undefined || overlapping(heads.organization, span) !== undefined;
  return {
    person: person.filter((span) => !isOfHead(span)),
    place: merged([...place, ...heads.place]),
    organization: merged([...organization, ...heads.organization]),
    address: merged([...address, ...heads.address]),
    doubtful,
  };
}

/** The names of a text, shared by the detectors that read it. */
export const sharedNames = (reading: Reading): NamesAndAddresses =>
  reading.once(KEY, (text) => {
    const names = readNames(text, reading.columns);
    for (const { start, end } of names.doubtful) reading.doubtful(start, end);
    for (const { start, end } of betweenSlices(text, reading.columns)) reading.unread(start, end);
    return reading.columns === null ? names : withNamedColumns(names, reading);
  });

/** Adds the values of columns that hold only names of persons. */
function withNamedColumns(names: NamesAndAddresses, { text, tables }: Reading): NamesAndAddresses {
  const persons = [...tables.tablesIn(0, text.length)].flatMap((table) => namesInKnownTable(text, table));
  const isOther = (span: Span) => overlapping(persons, span) === undefined;
  return {
    ...names,
    person: merged([...names.person.filter(isOther), ...persons]),
    place: names.place.filter(isOther),
    organization: names.organization.filter(isOther),
  };
}
