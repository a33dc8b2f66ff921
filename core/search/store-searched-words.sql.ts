import { sql } from '../db/sql.ts';
import type { Tx } from '../db/tx.ts';
import type { Signal } from '../detectors/detector.ts';
import { kindLexeme, textLexeme } from '../kernel/search-words.ts';
import { words } from '../kernel/words.ts';

/**
 * Stores what an asset is found by beside its names, in place of what was stored of it: the words of its text as hashes,
 * and those of the kinds of what detectors found. The same twice changes nothing. Whoever stores has locked the asset.
 */
export async function storeSearchedWords(
  tx: Tx,
  assetId: string,
  {
    wordHashes,
    value,
  }: { wordHashes: readonly number[]; value: { signals: readonly Pick<Signal, 'detectorId'>[] } },
): Promise<void> {
  const lexemes = [
    ...wordHashes.map((each) => textLexeme(tx.tenantId, each)),
    ...value.signals
      .flatMap(({ detectorId }) => words(detectorId))
      .map((word) => kindLexeme(tx.tenantId, word)),
  ];
  await tx.execute(sql`
    with due as (
      select array_to_tsvector(
               array(select lexeme from unnest(words) where left(lexeme, 1) not in ('#', '~')) || ${lexemes}::text[])
               as words
        from asset_search where tenant_id = ${tx.tenantId} and asset_id = ${assetId}
    )
    update asset_search s set words = due.words from due
     where s.tenant_id = ${tx.tenantId} and s.asset_id = ${assetId} and s.words <> due.words`);
}
