import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

const CODE = /^[a-z_]{2,32}$/;

const isNotInstalled = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';

/** The path of a language's gzipped training data in its package, or null if the package is not installed. */
export function ocrLanguageFile(language: string): string | null {
  if (!CODE.test(language)) return null;
  try {
    const file = require.resolve(`@tesseract.js-data/${language}/4.0.0_best_int/${language}.traineddata.gz`);
    return existsSync(file) ? file : null;
  } catch (error) {
    if (!isNotInstalled(error)) throw error;
    return null;
  }
}
