/** Before every test in a page: languages and the drawing of Markdown are there, as once loaded. */
import { beforeAll } from 'vitest'

beforeAll(async () => {
  if (typeof window === 'undefined') return
  const { loadWords } = await import('./i18n')
  const { loadDrawing } = await import('./markdown/ready')
  await Promise.all([loadWords('zh'), loadWords('en'), loadDrawing()])
})
