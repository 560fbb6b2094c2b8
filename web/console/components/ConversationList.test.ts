import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'

import { conversations } from '../stores/conversations'
import { serve } from '../testing'
import ConversationList from './ConversationList.vue'

afterEach(() => vi.unstubAllGlobals())

test('a space before the next word stays when the list changes meanwhile', async () => {
  const asked = serve({ 'GET /api/agent/conversations?q=%E7%AC%AC': { items: [], next: null } })
  const list = mount(ConversationList)
  const field = list.get('input')

  await field.setValue('第 ')
  conversations.items = []
  conversations.known = true
  await flushPromises()

  expect(field.element.value).toBe('第 ')
  await field.trigger('keydown', { key: 'Enter' })
  await flushPromises()
  expect(asked.map((each) => each.path)).toEqual(['/api/agent/conversations?q=%E7%AC%AC'])
})
