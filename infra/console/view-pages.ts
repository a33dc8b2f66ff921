import type { Manifest } from 'vite';
import { VIEWS } from '../../core/http/console-files.ts';

/** The module of each view with a page of its own, in `web`. */
const MODULES: Readonly<Record<keyof typeof VIEWS, string>> = {
  home: 'home/home.tsx',
  review: 'review/review.tsx',
  assets: 'assets/asset-list.tsx',
  findings: 'findings/findings.tsx',
};

/**
 * The page of each view, by its name. It names what the view needs first, so that a browser asks for it at once. The
 * common page learns of it only when its scripts run, one round trip after the other.
 */
export function viewPages(page: string, manifest: Manifest): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(VIEWS).map(([name, { reads }]) => {
      const { scripts, styles } = filesOf(manifest, MODULES[name as keyof typeof VIEWS]);
      const links = [
        ...reads.map((path) => `<link rel="preload" href="${path}" as="fetch" crossorigin>`),
        ...scripts.map((file) => `<link rel="modulepreload" crossorigin href="/${file}">`),
        ...styles.map((file) => `<link rel="stylesheet" crossorigin href="/${file}">`),
      ].filter((link) => !page.includes(link));
      return [name, page.replace('</head>', `${links.map((link) => `  ${link}\n  `).join('')}</head>`)];
    }),
  );
}

/** A module and all that it imports, without what it loads later. */
function filesOf(manifest: Manifest, module: string): { scripts: string[]; styles: string[] } {
  const scripts = new Set<string>();
  const styles = new Set<string>();
  const add = (key: string): void => {
    const chunk = manifest[key];
    if (chunk === undefined) throw new Error(`The console has no module ${key}.`);
    // Every page names the entry.
    if (chunk.isEntry === true || scripts.has(chunk.file)) return;
    scripts.add(chunk.file);
    for (const style of chunk.css ?? []) styles.add(style);
    for (const imported of chunk.imports ?? []) add(imported);
  };
  add(module);
  return { scripts: [...scripts], styles: [...styles] };
}
