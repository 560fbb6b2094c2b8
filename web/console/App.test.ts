import { mount } from '@vue/test-utils'
import { expect, test } from 'vitest'

import App from './App.vue'

test('the console names itself', () => {
  const page = mount(App)

  expect(page.text()).toContain('Phonedeck')
})
