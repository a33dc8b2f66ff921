import { type NamedAsset, namedAssets } from '../assets/named-assets.sql.ts';
import type { Visibility } from '../authz/principal.ts';
import type { Tx } from '../db/tx.ts';
import { words as wordsOf } from '../kernel/words.ts';
import { isAmong, parseQuery } from './search-query.ts';
import { allOf, NAMES, newestOfWays } from './ways.sql.ts';

/** Of the assets with all words in name, path or format, so many of the newest are looked at. */
const LOOKED_AT = 50;

/**
 * Assets that the reader may see, with all words of `q` in name, path or format; at most `most`. The last word may be
 * the beginning of a word. Those with all words in their names come first, then the most recently changed. A search of
 * the list is not tried further where this one finds nothing.
 */
export async function assetsByName(
  tx: Tx,
  visibility: Visibility,
  q: string,
  most: number,
): Promise<NamedAsset[]> {
  const { words } = parseQuery(q.replaceAll('"', ' '));
  if (words.length === 0) return [];
  const seeking = { tx, visibility, where: { inTexts: false, types: [] } };
  const walk = { filter: {}, after: null, most: LOOKED_AT };
  const { assetIds } = await newestOfWays(seeking, [allOf(seeking, words, NAMES)], walk);
  const found = new Map((await namedAssets(tx, assetIds)).map((asset) => [asset.assetId, asset]));
  const inOrder = assetIds.flatMap((id) => found.get(id) ?? []);
  const isNamed = ({ name }: NamedAsset) => {
    const nameWords = wordsOf(name);
    return words.every((word) => isAmong(word, nameWords));
  };
  const { named = [], others = [] } = Object.groupBy(inOrder, (asset) =>
    isNamed(asset) ? 'named' : 'others',
  );
  return [...named, ...others].slice(0, most);
}
