import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** A node for `npm run dev:console`, which shows changes of the console as they are saved. */
const NODE = process.env['SVC_URL'] ?? 'http://127.0.0.1:8080';

/**
 * The library that draws processes hands texts to the browser as markup, which the policy of the page allows nobody. What makes
 * elements of them is exchanged; nothing of what it draws, its own mark among that, is changed.
 */
function withoutMarkup(): Plugin {
  return {
    name: 'without-markup',
    transform(code, id) {
      if (!/node_modules\/(?:bpmn-js|diagram-js|diagram-js-direct-editing)\/lib\//.test(id)) return undefined;
      if (!code.includes('nnerHTML')) return undefined;
      const changed = code
        .replace(/(\b[\w.]+)\.innerHTML = '';/g, '$1.replaceChildren();')
        .replace(/(\b[\w.]+)\.innerHTML = (\w+);/g, '$1.replaceChildren(__elementsOf($2 ?? ""));')
        .replace(
          /dangerouslySetInnerHTML=\$\{ \{ __html: ([\w.]+) \} \}/g,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: it stands in a template of the library
          'ref=${ (node) => node?.replaceChildren(__elementsOf($1)) }',
        );
      if (/nnerHTML/.test(changed)) throw new Error(`${id} makes markup of text in a way that is not known`);
      return { code: `import __elementsOf from 'domify';\n${changed}`, map: null };
    },
  };
}

export default defineConfig(({ command }) => ({
  // Relative, so that it works below any path of a proxy.
  base: command === 'build' ? './' : '/console/',
  plugins: [react(), withoutMarkup()],
  resolve: { alias: { domify: fileURLToPath(new URL('./model/elements-of.ts', import.meta.url)) } },
  // The server puts another nonce into each answer.
  html: command === 'build' ? { cspNonce: '__NONCE__' } : {},
  build: {
    target: 'es2023',
    // As data in a sheet it would be no file of the build.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 900,
  },
  server: { proxy: { '/svc': NODE } },
}));
