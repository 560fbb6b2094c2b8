import { mount } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'

import { lang, t } from './i18n'
import { diskLow } from './stores/storage'

// jsdom has no media queries, and the theme asks for one as it is loaded
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined }))
const { default: App } = await import('./App.vue')

afterEach(() => {
  diskLow.value = false
})

test('a disk without room is said above the page', async () => {
  lang.value = 'en'
  const app = mount(App, { shallow: true })

  const before = app.find('[role=status]').exists()
  diskLow.value = true
  await app.vm.$nextTick()

  expect(before).toBe(false)
  expect(app.get('[role=status]').text()).toBe(t('storage.low'))
})
