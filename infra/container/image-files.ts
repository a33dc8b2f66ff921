/** What is built from this repository and shipped. */
export type Image = 'host' | 'worker';

export const IMAGES: readonly Image[] = ['host', 'worker'];

const EVERY_IMAGE = ['dist/core/**/*.js', 'migrations/**/*.sql', 'migrations/effects.json'];

/**
 * The files of each image, as globs: those below `dist/` come from the build, the others from the repository. An image
 * also has the production dependencies, a `package.json` without development entries, and `sbom.cdx.json`.
 */
export const IMAGE_FILES: Readonly<Record<Image, readonly string[]>> = {
  host: [...EVERY_IMAGE, 'dist/main.js', 'dist/functions/**/*.js', 'dist/web/**/*.*', 'host.json'],
  worker: EVERY_IMAGE,
};
