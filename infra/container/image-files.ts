/** What is built from this repository and shipped. */
export type Image = 'host' | 'worker';

export const IMAGES: readonly Image[] = ['host', 'worker'];

const EVERY_IMAGE = [
  'dist/chunks/*.{js,map}',
  'dist/core/**/*.{js,map}',
  'dist/licences.txt',
  'migrations/**/*.sql',
  'migrations/effects.json',
];

/**
 * The files of each image, as globs: those below `dist/` come from the build, the others from the repository. An image
 * also has the files of packages below, a `package.json` without development entries, and `sbom.cdx.json`.
 */
export const IMAGE_FILES: Readonly<Record<Image, readonly string[]>> = {
  host: [
    ...EVERY_IMAGE,
    'dist/main.{js,js.map}',
    'dist/functions/*.{js,map}',
    'dist/web/**/*.*',
    'host.json',
  ],
  worker: EVERY_IMAGE,
};

/**
 * What the service reads from packages by name: WebAssembly and its loaders, dictionaries, languages that may be added. The
 * build has all else.
 */
const READ_BY_NAME: Readonly<Record<string, string>> = {
  '@cspell/dict-people-names': '{cspell-ext.json,dict/people-names.txt}',
  '@embedpdf/pdfium': 'dist/{index.cjs,pdfium.wasm}',
  '@tesseract.js-data/*': '4.0.0_best_int/*',
  'libarchive-wasm': 'dist/libarchive.{js,wasm}',
  'tesseract.js-core': 'tesseract-core-simd-lstm.{js,wasm}',
};

/** Their files in every image, as globs, with what they say of their licence. */
export const PACKAGE_FILES: readonly string[] = Object.entries(READ_BY_NAME).map(
  ([name, files]) => `node_modules/${name}/{package.json,README.md,LICENSE*,${files}}`,
);
