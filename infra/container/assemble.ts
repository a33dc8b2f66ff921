import path from 'node:path';
import { assembleImages } from './assemble-image.ts';
import { IMAGES } from './image-files.ts';

const USAGE = `node infra/container/assemble.ts IMAGE FOLDER

Assembles the application folder of an image (${IMAGES.join(', ')}) from dist/. Both Dockerfiles run it.`;

const [name, folder, ...others] = process.argv.slice(2);
const image = IMAGES.find((each) => each === name);
if (image === undefined || folder === undefined || others.length > 0) {
  console.error(USAGE);
  process.exit(2);
}
const root = path.resolve(import.meta.dirname, '../..');
await assembleImages(new Map([[image, path.resolve(folder)]]), { root, build: root });
