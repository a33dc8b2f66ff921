const PAGE_SIZE = 1_000;

/** Pages of rows in the order of their ids, which never changes: each row comes once. */
export async function* pagesById<Row>(
  pageAfter: (afterId: string, limit: number) => Promise<Row[]>,
  idOf: (row: Row) => string,
): AsyncGenerator<Row[]> {
  let page: Row[];
  let afterId = '';
  do {
    page = await pageAfter(afterId, PAGE_SIZE);
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last !== undefined) afterId = idOf(last);
  } while (page.length === PAGE_SIZE);
}
