import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { lang } from '../../i18n'
import { serve } from '../../testing'
import ScheduleField from './ScheduleField.vue'

beforeEach(() => {
  lang.value = 'en'
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

async function words(items: string[]): Promise<string> {
  serve({ 'GET /api/tasks/next?at=2026-01-02': { items } })
  const shown = mount(ScheduleField, { props: { modelValue: { at: '2026-01-02' } } })
  await vi.runAllTimersAsync()
  await flushPromises()
  return shown.text()
}

test('a moment that has passed is said to start nothing', async () => {
  expect(await words([])).toContain('This time has passed')
})

test('a moment to come is shown as the next', async () => {
  const said = await words(['2030-01-02T08:00:00.000Z'])

  expect(said).toContain('Next:')
  expect(said).not.toContain('has passed')
})
