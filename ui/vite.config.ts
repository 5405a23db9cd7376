import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

export default defineConfig(({ mode }) => ({
  plugins: [svelte()],
  // The page is served with a strict content policy: no inlined fonts, no inline scripts.
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false }, emptyOutDir: true },
  define: { __FAKE__: JSON.stringify(mode !== 'production') },
  server: { port: 1420, strictPort: true, host: '127.0.0.1' },
  resolve: process.env['VITEST'] ? { conditions: ['browser'] } : {},
  test: { environment: 'jsdom', include: ['src/**/*.test.ts'], setupFiles: ['src/test-setup.ts'] },
}));
