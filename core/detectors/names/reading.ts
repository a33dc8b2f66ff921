import type { Reading } from '../detector.ts';
import { findAddresses } from './find-addresses.ts';
import { findNames, type Names } from './find-names.ts';
import { readLetterHeads } from './letter-heads.ts';
import { merged, overlapping, type Span } from './spans.ts';
import { tokenize } from './tokens.ts';

const KEY = Symbol('names and addresses');

/** What the language of a text says of names and addresses: one reading for the four detectors. */
export type NamesAndAddresses = Names & { readonly address: readonly Span[] };

/** Reads at most 16 kB of the text, so that what is found in a longer one is a lower bound. */
export function readNames(text: string): NamesAndAddresses {
  const found = {
    person: [] as Span[],
    place: [] as Span[],
    organization: [] as Span[],
    address: [] as Span[],
  };
  for (const slice of tokenize(text)) {
    const addresses = findAddresses(slice);
    const names = findNames(slice, addresses);
    const heads = readLetterHeads(slice, addresses, names.person);
    const isOfHead = (span: Span) =>
      overlapping(heads.place, span) !== undefined || overlapping(heads.organization, span) !== undefined;
    found.person.push(...names.person.filter((span) => !isOfHead(span)));
    found.place.push(...merged([...names.place, ...heads.place]));
    found.organization.push(...merged([...names.organization, ...heads.organization]));
    found.address.push(...merged([...addresses, ...heads.address]));
  }
  return found;
}

/** The detectors of one text share it. */
export const sharedNames = (reading: Reading): NamesAndAddresses => reading.once(KEY, readNames);
