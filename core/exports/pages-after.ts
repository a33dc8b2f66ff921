const PAGE_SIZE = 1_000;

/**
 * Pages of rows in an order that never changes: each row comes once.
 * @param pageAfter rows after a place, at most `limit`; null for the first ones
 * @param placeOf the place of a row in the order
 */
export async function* pagesAfter<Row, Place>(
  pageAfter: (after: Place | null, limit: number) => Promise<Row[]>,
  placeOf: (row: Row) => Place,
): AsyncGenerator<Row[]> {
  let page: Row[];
  let after: Place | null = null;
  do {
    page = await pageAfter(after, PAGE_SIZE);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last !== undefined) after = placeOf(last);
  } while (page.length === PAGE_SIZE);
}
