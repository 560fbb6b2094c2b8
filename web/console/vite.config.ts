/** Build the console into static/dist/, where the shell templates read the manifest. */
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
    // the first browsers with light-dark(): older targets would have it rewritten
    target: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    rolldownOptions: { input: here('main.ts') },
  },
  test: { environment: 'jsdom', setupFiles: [here('testing_words.ts')], include: ['**/*.test.ts'] },
})
