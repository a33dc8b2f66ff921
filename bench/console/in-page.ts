/* What runs in the page, as text: the bench has no types of a page. */

/**
 * Resolves with the time, by the page's clock, of the first paint at which `found` is true. What is found before the
 * callbacks of a frame is painted after them.
 */
export const AT_PAINT = `
  globalThis.atPaint = (found) => new Promise((done) => {
    const check = () => {
      if (!found()) return requestAnimationFrame(check);
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => done(performance.now());
      port2.postMessage(null);
    };
    requestAnimationFrame(check);
  });`;

/** Since the navigation began: a question is there, and can be answered. */
export const USABLE = `atPaint(() =>
  document.querySelector('.question-head h1')?.textContent && document.querySelector('.answer'))`;

/** From the next key to the paint at which `found` is true. */
const afterKey = (found: string) => `new Promise((done) =>
  addEventListener('keydown', ({ timeStamp }) => atPaint(() => ${found}).then((at) => done(at - timeStamp)),
    { once: true, capture: true }))`;

export const NEXT_QUESTION = `(() => {
  const asked = () => document.querySelector('h1').textContent;
  const before = asked();
  return ${afterKey('asked() !== before')};
})()`;

export const isListed = (rows: number) => `document.querySelectorAll('main tbody tr').length === ${rows}`;
/** The view of files, with as many rows as a screen has room for. */
export const IN_SIGHT = `document.getElementById('asset-search') !== null && document.querySelectorAll('main tbody tr').length >= 30`;
export const listPainted = (found: string) => afterKey(found);

/** From the end of the service's answer to the search for a word, to the paint at which `found` is true of its rows. */
export const foundFor = (word: string, found: string) => `(() => {
  const answer = () => performance.getEntriesByType('resource').findLast(({ name }) =>
    name.includes('/api/assets?') && new URL(name).searchParams.get('q') === '${word}');
  return atPaint(() => ${found} && answer() !== undefined).then((at) => at - answer().responseEnd);
})()`;

/** The same texts as plain elements. One key removes the first question of the list, another lists the files. */
export const PLAIN = `(async () => {
  const read = async (path) => (await (await fetch(path)).json()).items;
  const [questions, files] = [await read('/api/review/queue'), await read('/api/assets')];
  const add = (to, name, text) => to.appendChild(Object.assign(document.createElement(name), { textContent: text ?? '' }));
  const main = add(document.body, 'main');
  document.body.replaceChildren(main);
  const heading = add(main, 'h1', questions[0].assetName);
  const summary = add(main, 'p', questions[0].summary);
  for (const text of ['Mine', 'Mine, another type', 'Another domain', 'Mine, not sensitive', 'Not a match', 'More'])
    add(main, 'button', text);
  const queue = add(main, 'ol');
  for (const { assetName, location, informationTypeName } of questions) {
    const row = add(queue, 'li');
    for (const text of [assetName, location.path, informationTypeName]) add(row, 'span', text);
  }
  const table = add(main, 'table');
  addEventListener('keydown', ({ key }) => {
    if (key === '5') {
      questions.shift();
      queue.firstChild.remove();
      heading.textContent = questions[0].assetName;
      summary.textContent = questions[0].summary;
    }
    if (key === 'h') table.replaceChildren();
    if (key === 'a') {
      const body = add(table, 'tbody');
      for (const { name, path, scopeName, classification, labelState } of files) {
        const row = add(body, 'tr');
        const texts = [name, scopeName + ' / ' + path, classification?.informationTypeName, 'none', labelState, ''];
        for (const text of texts) add(row, 'td', text);
      }
    }
  });
})()`;
