import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** A node for `npm run dev:console`, which shows changes of the console as they are saved. */
const NODE = process.env['SVC_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig(({ command }) => ({
  // Relative, so that it works below any path of a proxy.
  base: command === 'build' ? './' : '/console/',
  plugins: [react()],
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
