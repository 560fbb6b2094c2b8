/** Build the console into static/dist/, where the shell template reads the manifest. */
import { fileURLToPath } from 'node:url'

import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  base: '/static/dist/',
  plugins: [vue()],
  build: {
    outDir: here('../../static/dist'),
    emptyOutDir: true,
    manifest: true,
    rolldownOptions: { input: here('main.ts') },
  },
  test: { environment: 'jsdom', include: ['**/*.test.ts'] },
})
