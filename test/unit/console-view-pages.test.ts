import { expect, test } from 'vitest';
import { viewPages } from '../../infra/console/view-pages.ts';

const PAGE =
  '<head>\n    <link rel="stylesheet" crossorigin href="/static/index.css">\n  </head>\n<body></body>';
const manifest = {
  'index.html': { file: 'static/index.js', isEntry: true },
  '_parts.js': { file: 'static/parts.js' },
  ...Object.fromEntries(
    ['home/home', 'review/review', 'assets/asset-list', 'findings/findings'].map((name) => [
      `${name}.tsx`,
      {
        file: `static/${name.split('/')[1]}.js`,
        imports: ['index.html', '_parts.js'],
        dynamicImports: ['design/dialog.tsx'],
        css: ['static/index.css', `static/${name.split('/')[0]}.css`],
      },
    ]),
  ),
};

test('the page of a view names once what it needs first, and nothing later', () => {
  const links = (viewPages(PAGE, manifest).get('review') ?? '').match(/<link[^>]*>/g);
  expect(links).toEqual([
    '<link rel="stylesheet" crossorigin href="/static/index.css">',
    '<link rel="preload" href="/api/review/queue" as="fetch" crossorigin>',
    '<link rel="modulepreload" crossorigin href="/static/review.js">',
    '<link rel="modulepreload" crossorigin href="/static/parts.js">',
    '<link rel="stylesheet" crossorigin href="/static/review.css">',
  ]);
});

test('a view without its module is a mistake of the build', () => {
  expect(() => viewPages(PAGE, { ...manifest, 'review/review.tsx': undefined as never })).toThrow(
    'The console has no module review/review.tsx.',
  );
});
