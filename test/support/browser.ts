import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflate } from '@sparticuz/chromium';
import { type Browser, chromium } from 'playwright-core';

const PACKED = fileURLToPath(new URL('../bin/', import.meta.resolve('@sparticuz/chromium')));
const UNPACKED = fileURLToPath(new URL('../../node_modules/.cache/chromium', import.meta.url));

/**
 * Without fonts the browser crashes at the first text, and the package's own configuration names other folders. These
 * paths are relative to the file, so that an installation can be moved.
 */
const FONTS = `<fontconfig>
<dir prefix="relative">fonts</dir>
<cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

/**
 * Starts the Chromium of the installed package (Linux, x64) with the libraries and fonts that it includes. `CHROMIUM`
 * names another browser for machines that it does not support.
 */
export async function startBrowser(): Promise<Browser> {
  const own = process.env.CHROMIUM;
  if (own === undefined) await unpack();
  return chromium.launch({
    executablePath: own ?? path.join(UNPACKED, 'chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--disable-software-rasterizer'],
    timeout: 0,
    ...(own === undefined && {
      env: {
        ...process.env,
        LD_LIBRARY_PATH: path.join(UNPACKED, 'al2023/lib'),
        FONTCONFIG_FILE: path.join(UNPACKED, 'fonts.conf'),
      },
    }),
  });
}

/**
 * Unpacks once per installation. The folder is created atomically, even if several processes unpack at the same time.
 */
async function unpack(): Promise<void> {
  if (await isThere(UNPACKED)) return;
  await mkdir(path.dirname(UNPACKED), { recursive: true });
  const folder = await mkdtemp(`${UNPACKED}-`);
  const before = process.env.TMPDIR;
  // The package always unpacks to the folder for temporary files.
  process.env.TMPDIR = folder;
  try {
    for (const name of ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'])
      await inflate(path.join(PACKED, name));
    await writeFile(path.join(folder, 'fonts.conf'), FONTS);
    await rename(folder, UNPACKED).catch(async (error) => {
      if (!(await isThere(UNPACKED))) throw error;
    });
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(folder, { recursive: true, force: true });
  }
}

const isThere = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  );
