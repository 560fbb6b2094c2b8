import { flushPromises, mount } from '@vue/test-utils'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

import { lang } from '../i18n'
import { chat } from '../stores/chat'
import { devices } from '../stores/devices'
import { session } from '../stores/session'
import { aDevice } from '../testing'
import LivePanel from './LivePanel.vue'

/** One part as the server sends it, and then a stream that stays open. */
function streaming(about: Record<string, string>): Response {
  const head = Object.entries({ 'Content-Type': 'image/jpeg', 'Content-Length': '3', ...about })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const body = new ReadableStream<Uint8Array>({
    start: (control) => control.enqueue(new TextEncoder().encode(`--frame\r\n${head}\r\njpg\r\n--frame\r\n`)),
  })
  return new Response(body, { status: 200 })
}

async function panel(about: Record<string, string>) {
  vi.stubGlobal('fetch', async (path: string) =>
    path.endsWith('/live') ? streaming(about) : Response.json({ package: 'com.app' }),
  )
  const page = mount(LivePanel)
  await flushPromises()
  await vi.waitFor(() => expect(page.find('img').exists()).toBe(true))
  return page
}

beforeEach(() => {
  lang.value = 'en'
  chat.id = ''
  session.role = 'operator'
  Object.assign(devices, { items: [aDevice()], known: true, chosen: 'A1' })
  vi.stubGlobal('URL', Object.assign(URL, { createObjectURL: () => 'blob:1', revokeObjectURL: () => undefined }))
})

afterEach(() => {
  vi.unstubAllGlobals()
})

test('the panel says rate, size, turn and source of the picture', async () => {
  const page = await panel({
    'X-Frame': '1', 'X-Screen': '2400x1080', 'X-Rotation': '1', 'X-Source': 'scrcpy', 'X-Rate': '9.8',
  })

  expect(page.find('.meta').text()).toContain('9.8 fps · 2400×1080 · 90°')
  expect(page.find('.meta').text()).toContain('scrcpy')
  expect(page.find('.meta .tag').exists()).toBe(false)
  page.unmount()
})

test('a film that broke off is named beside what is shown instead', async () => {
  const page = await panel({
    'X-Frame': '1', 'X-Screen': '1080x2400', 'X-Source': 'u2', 'X-Missing': 'scrcpy', 'X-Rate': '0.0',
  })

  expect(page.find('.meta').text()).toContain('still · 1080×2400')
  expect(page.find('.meta .tag').text()).toBe('scrcpy unavailable')
  page.unmount()
})
